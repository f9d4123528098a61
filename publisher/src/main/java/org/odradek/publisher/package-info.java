// SPDX-License-Identifier: Apache-2.0

/**
 * Publishes records: a {@link org.odradek.publisher.Publisher} and its handles for topics. The package uses the module
 * {@code client}, and not the consumer.
 * <p>
 * A publisher shares what is neutral: the nine events that name no topic, partition or group are those of {@code
 * ClientListener}, which {@code ConsumerListener} and {@code PublisherListener} extend. A new leader in metadata is
 * reported to whoever has added the topic ({@code PartitionLeaders.Listener}). These rooms add to {@code
 * ClientCounters}, which a publisher has beside its own ({@code PublisherCounters}). What both count is there only,
 * and the names of a publisher read it.
 * <p>
 * No listener is called between the moment in which a request of a publisher counts as answered and the release of its
 * response. An Error of the listener would leave the response held, and the next request on that connection would take
 * it for its answer. While the request still counts as in flight, listeners are called with the response held: after
 * an Error the same answer is read again, or the connection ends.
 * <p>
 * A sequence is assigned by the first send ({@code PartitionQueue}). It is used for another batch only if the broker
 * has refused the first one and no answer was ever lost; otherwise an equal number of records would count as a
 * duplicate and be lost. The epoch is bumped for one partition: in an answer to its own epoch and sequence, when a
 * batch was given up that may have been written, and in a topic that was created again. If the brokers know a later
 * epoch of its id, the partition goes on with another id. The epoch is never bumped after a timeout or a lost
 * connection alone. {@code ProduceErrors} has the action for each error code.
 * <p>
 * Only batches that are not full wait for the interval of a {@code BrokerSender}, which begins with a request that
 * leaves no such batch out: requests of full ones do not postpone them. What is left out, because the request or the
 * compression of one duty cycle is full, is due.
 * <p>
 * A batch is compressed once ({@code Batch.close}), when it is about to be sent for the first time, or before if it is
 * full and a request is in flight, into the buffer of the publisher's {@code Compressor} and from there back into its
 * slab. So a resend and a bump of the epoch have the same records, and a request copies slabs whether they are
 * compressed or not. A result that is not shorter is dropped; therefore it always fits.
 * <p>
 * A request uses a slab only while it copies the batch into its frame, so a batch may be given up at any time, in
 * flight too. Who has sent the first batch is its {@code flight}: an answer of anybody else means nothing.
 * <p>
 * Work and a close abort a claim that was left open first, so no slab with an open record is ever sealed or given up.
 */
package org.odradek.publisher;
