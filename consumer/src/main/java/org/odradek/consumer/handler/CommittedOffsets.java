// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * A request for the offsets that are committed under a group id, and the result of this request. The result arrives
 * while the consumer is polled. Only the polling thread may use this object.
 */
public interface CommittedOffsets
{
    /** The value of {@link #offset} for a partition without a committed offset, and while there is no result. */
    long NULL_OFFSET = -1;
    /**
     * The value of {@link #leaderEpoch} for an offset that was committed without an epoch, and while there is no
     * result.
     */
    int NULL_EPOCH = -1;

    /** Returns the id under which the offsets are committed. */
    String groupId();

    /** Returns true if the request has ended, with a result or with an error; see {@link #isFailed()}. */
    boolean isDone();

    /**
     * Returns true if the request has ended with an error; {@link #errorCode()} returns the code. If the brokers do not
     * know the topic, the request fails after about a minute.
     */
    boolean isFailed();

    /**
     * Returns the number of partitions that the topic had when the request was last sent; 0 before the request is sent.
     */
    int partitionCount();

    /**
     * Returns the committed offset of a partition, which is the offset of the next record to read; {@link #NULL_OFFSET}
     * if none is committed or the request has not succeeded.
     */
    long offset(int partition);

    /**
     * Returns the leader epoch that was committed with the offset of a partition; {@link #NULL_EPOCH} if none was
     * committed or the request has not succeeded.
     */
    int leaderEpoch(int partition);

    /** Returns Kafka's error code if the request has failed; otherwise 0. */
    short errorCode();
}
