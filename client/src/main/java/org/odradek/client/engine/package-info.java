// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the parts that the engines of all clients share: their waiting, their owner thread, the resources that they
 * open and free, and their connections to leaders.
 */
package org.odradek.client.engine;
