// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains what all parts of a client share, such as settings, clocks, backoffs, the memory budget, counters
 * and the wrappers of the user's callbacks.
 */
package org.odradek.client.core;
