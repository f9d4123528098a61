// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the metadata of the cluster, the known brokers, and the connection for requests other than fetches. This
 * package uses {@code net}.
 * <p>
 * Metadata is requested at once for the first error since the last good answer, of a partition or of a connection.
 * Errors that repeat, and answers that leave something open, share the backoff of the topic. Three answers in a row
 * that were requested because of an error and change no leader, epoch or address may be those of a broker that is cut
 * off from the controllers, so the next broker is asked; after a round of all brokers without a change the next round
 * waits a minute, and twice as long each time, up to {@code metadataMaxAgeMs}. A broker over which any connection has
 * failed, and none was answered since, is not asked while there is another one: its other connections may not have
 * noticed that it is gone.
 * <p>
 * A {@code ControlRequest} reads its response and knows what it means ({@code complete}). The owner of the connection
 * only handles what is the same for all of its requests: an error, or a partition that the response leaves out.
 */
package org.odradek.client.cluster;
