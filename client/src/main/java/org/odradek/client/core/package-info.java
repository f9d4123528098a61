// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what the parts of every client share: settings, clocks, backoff, the memory budget, counters and their
 * file, and the wrappers of the user's callbacks. It knows nothing of sockets.
 */
package org.odradek.client.core;
