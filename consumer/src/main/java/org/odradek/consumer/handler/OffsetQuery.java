// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * A request for one offset of a partition, and the result of this request. The result arrives while the consumer is
 * polled. Only the polling thread may use this object.
 */
public interface OffsetQuery
{
    /**
     * The value of {@link #offset()} until the result arrives, after a failure, and if no record has the requested
     * timestamp or a later one.
     */
    long NULL_OFFSET = -1;

    /** Returns the id of the requested partition. */
    int partition();

    /** Returns the requested timestamp: milliseconds since 1970, -1 for the end of the log, or -2 for its beginning. */
    long timestamp();

    /** Returns true if the query has ended, with a result or with an error; see {@link #isFailed()}. */
    boolean isDone();

    /**
     * Returns true if the query has ended with an error; {@link #errorCode()} returns the code. If the brokers do not
     * know the topic or the partition, the query fails after about a minute.
     */
    boolean isFailed();

    /** Returns the offset that was found, or {@link #NULL_OFFSET}. */
    long offset();

    /**
     * Returns the timestamp of the record that was found, in milliseconds since 1970; -1 if no timestamp was requested
     * or no record was found.
     */
    long offsetTimestamp();

    /** Returns the leader epoch of the record at the offset, or -1 if it is unknown. */
    int leaderEpoch();

    /** Returns Kafka's error code if the query has failed; otherwise 0. */
    short errorCode();
}
