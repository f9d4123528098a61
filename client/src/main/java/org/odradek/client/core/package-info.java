// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: classes that all parts of a client share: settings, clocks, backoff, the memory budget, counters and their
 * file, and the wrappers of the user's callbacks. This package does not depend on sockets.
 * <p>
 * Each retry after a failure waits for a {@code Backoff}. A connection, a control request, the queries that a leader
 * has refused, a partition, the fetches of a broker, and the metadata of a topic: each of these has its own backoff. A
 * backoff doubles up to its maximum, and varies by up to 20 percent. Only a response without an error resets a backoff;
 * an established connection does not. A partition with another leader or offset is requested at once, but its backoff
 * is not reset. Until a response without an error, a publisher skips the backoff only for the first other leader,
 * because brokers may name each other endlessly, with ever newer epochs. Four waits are constant. There is at most one
 * rebootstrap in the longest backoff, because each answer of a bootstrap server would reset a backoff. A mechanism
 * without credentials is called again after 100 ms, which causes no request to a broker. After some errors that an
 * administrator can remove, a heartbeat waits for its interval, and the leader of a classic group counts partitions
 * again after 10 s, both in addition to the backoff.
 * <p>
 * A thread that waits for several clients waits until the earliest {@code nextDeadlineNs()} of them. When the thread
 * has asked a client for its deadline, the client's clock counts the time until that deadline as polling time
 * ({@code DutyClock.waitUntil}). Any other pause counts for at most a second, so a connect timeout would otherwise be
 * detected minutes late. A record that the handler has refused causes no deadline.
 */
package org.odradek.client.core;
