// SPDX-License-Identifier: Apache-2.0

/**
 * What the engines of all clients share: how they wait, which thread owns them, what they open and free, and their
 * connections to leaders.
 */
package org.odradek.client.engine;
