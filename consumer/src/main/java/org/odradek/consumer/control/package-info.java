// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the control plane, that is, metadata, offset lookup, groups, and the conductor that runs them and the
 * fetchers. Uses fetch and net.
 */
package org.odradek.consumer.control;
