// SPDX-License-Identifier: Apache-2.0

/**
 * The consumer: what a user of it sees.
 */
package org.odradek.consumer;
