// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the metadata of the cluster, the known brokers, and the connection for requests other than Fetch and
 * Produce. This package uses {@code net}.
 * <p>
 * Metadata is requested at once for the first error of a partition or a connection since the last answer without an
 * error. Repeated errors and incomplete answers share the backoff of the topic. If three answers in a row were
 * requested because of an error and change no leader, epoch or address, their broker may be cut off from the
 * controllers, so the next broker is asked. After a round over all brokers without a change, the next round begins a
 * minute later, and each further wait is twice as long, up to {@code metadataMaxAgeMs}. If a connection to a broker
 * failed in the last 45 seconds, and no request to that broker was answered since, the client asks another broker if
 * there is one. The other connections to the broker may not have detected yet that it is down.
 * <p>
 * A {@code ControlRequest} reads its response and applies the result ({@code complete}). The owner of the connection
 * handles only the two cases that are the same for all of its requests: an error, and a partition that is missing from
 * the response.
 */
package org.odradek.client.cluster;
