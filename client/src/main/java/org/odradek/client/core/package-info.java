// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: what every other internal package shares: settings, clocks, backoff, the memory budget, counters, the
 * wrappers of the user's callbacks and the environment. It knows nothing of sockets, and uses protocol, files, handler,
 * security and status.
 */
package org.odradek.client.core;
