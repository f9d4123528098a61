// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: classes that all parts of a client share: settings, clocks, backoff, the memory budget, counters and their
 * file, and the wrappers of the user's callbacks. This package does not depend on sockets.
 * <p>
 * Whatever is sent again after a failure waits for a {@code Backoff}: a connection, a control request, the queries
 * that a leader has refused, a partition, the fetches of a broker, and the metadata of a topic. Each has its own,
 * which doubles up to its maximum, varies by 20 percent, and begins again after a good answer. Another leader or
 * offset of a partition is requested at once, but only a good answer begins its backoff again. A publisher follows
 * another leader at once only once until then, because brokers may name each other for ever, with ever newer epochs. A
 * connection that was established is no good answer: whoever has read a response without an error reports the success.
 * Four waits are constant: there is at most one rebootstrap in the longest backoff, because its backoff would end with
 * each answer of a bootstrap server; a mechanism without credentials is asked for them every 100 ms, which no broker
 * notices; and after some errors that an administrator can end, a heartbeat waits for its interval, and the leader of
 * a classic group counts partitions again after 10 s, both in addition to the backoff.
 * <p>
 * A thread that waits for several clients waits until the earliest {@code nextDeadlineNs()} of them. The clock of a
 * client counts the time until a deadline that was asked for as time in which it was polled ({@code
 * DutyClock.waitUntil}): otherwise a pause counts for a second at most, and a connect timeout would be noticed minutes
 * late. A record that the handler has refused is no reason to poll at once.
 */
package org.odradek.client.core;
