// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: classes that all parts of a client share: settings, clocks, backoff, the memory budget, counters and their
 * file, and the wrappers of the user's callbacks. This package does not depend on sockets.
 */
package org.odradek.client.core;
