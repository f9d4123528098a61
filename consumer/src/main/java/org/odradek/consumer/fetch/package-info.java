// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: fetches and delivers records: requests, responses, the state of partitions, and the loop that calls the
 * handler. The package uses {@code net}, and implements the interface to which {@code cluster} reports leaders.
 * <p>
 * The next offset of a partition is validated (KIP-320) if the leader epoch of the record before it is known and older
 * than that of the leader. This happens when a new leader appears, and when the offset is taken from a group or a file
 * while the leader is known.
 * <p>
 * A partition in error is left out of requests until its backoff has expired, because brokers answer a request for such
 * a partition at once.
 */
package org.odradek.consumer.fetch;
