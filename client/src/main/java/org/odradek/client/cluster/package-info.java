// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the metadata of the cluster, the known brokers, and the connection for requests other than fetches. This
 * package uses {@code net}.
 * <p>
 * Metadata is requested at once for the first error of a partition or a connection since the last answer without an
 * error. Repeated errors and incomplete answers share the backoff of the topic. If three answers in a row were
 * requested because of an error and change no leader, epoch or address, their broker may be cut off from the
 * controllers, so the next broker is asked. After a round over all brokers without a change, the next round begins a
 * minute later, and each further wait is twice as long, up to {@code metadataMaxAgeMs}. A broker is not asked while
 * another one is available, if a connection to it has failed and no request to it was answered since: its other
 * connections may not have detected yet that the broker is down.
 * <p>
 * A {@code ControlRequest} reads its response and applies the result ({@code complete}). The owner of the connection
 * handles only the two cases that are the same for all of its requests: an error, and a partition that is missing from
 * the response.
 */
package org.odradek.client.cluster;
