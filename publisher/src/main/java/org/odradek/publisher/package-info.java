// SPDX-License-Identifier: Apache-2.0

/**
 * Publishes records: a {@link org.odradek.publisher.Publisher} and its handles for topics. The package uses the module
 * {@code client}, and not the consumer.
 * <p>
 * The nine events that name no topic, partition or group are those of {@code ClientListener}, which {@code
 * ConsumerListener} and {@code PublisherListener} extend. A publisher does not report a new leader: it passes {@code
 * PartitionLeaders.Listener.NONE} to the metadata. A publisher has the counters of every client ({@code
 * ClientCounters}) and its own ({@code PublisherCounters}). A counter of both exists only in {@code ClientCounters};
 * its id in {@code PublisherCounters} reads the value there.
 * <p>
 * No listener is called between the moment in which a request of a publisher counts as answered and the release of its
 * response. Otherwise an Error of the listener would leave the response held, and the response would be taken for the
 * answer to the next request on the connection. While the request still counts as in flight, listeners are called with
 * the response held: after an Error the same answer is read again, or the connection ends.
 * <p>
 * The first send of a batch assigns its sequence ({@code PartitionQueue}). The sequence of a batch that was given up is
 * used for the next batch only if the first batch is certainly not in the log. Otherwise the broker could take the next
 * batch for a duplicate, and the next batch would be lost. The epoch is bumped for a single partition: after an answer
 * that refuses the sequence of its first batch, after a batch was given up that may have been written, and in a topic
 * that was created again. If the brokers know a later epoch of the partition's producer id, the partition continues
 * with another id. The epoch is never bumped after a timeout or a lost connection alone. {@code ProduceErrors} has the
 * action for each error code.
 * <p>
 * Only batches that are not full wait for the interval of a {@code BrokerSender}. The interval begins with a request
 * that leaves out no such batch, so requests with only full batches do not postpone the others. A batch stays due if it
 * is left out because the request is full, or because no more bytes may be compressed in the duty cycle.
 * <p>
 * A batch is compressed once ({@code Batch.close}), at the latest when it is about to be sent for the first time. While
 * a request is in flight, a batch is compressed earlier if it is full or was left out of that request. The result is
 * written into the buffer of the publisher's {@code Compressor} and copied back into the slab of the batch. So the
 * records of a batch are the same bytes in each resend and after a bump of the epoch. A request copies slabs whether
 * they are compressed or not. A result that is not shorter than the records is dropped, so each result that is kept
 * fits into the slab.
 * <p>
 * A request uses a slab only while it copies the batch into its frame, so a batch may be given up at any time, even in
 * flight. The field {@code flight} of a {@code PartitionQueue} is the sender of the first batch; an answer to any other
 * sender has no effect.
 * <p>
 * Work and a close first abort a claim that was left open, so no slab with an open record is ever sealed or given up.
 */
package org.odradek.publisher;
