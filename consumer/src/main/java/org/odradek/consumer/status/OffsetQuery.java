// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

/**
 * A request for one offset of a partition, and its result. It is answered while the consumer is polled, and is used on
 * the polling thread.
 */
public interface OffsetQuery
{
    /** The offset if no record has the requested timestamp or a later one, and as long as there is no answer. */
    long NULL_OFFSET = -1;

    int partition();

    /** The requested timestamp: milliseconds since 1970, -1 for the end of the log, or -2 for its beginning. */
    long timestamp();

    /** Returns whether the query has ended, with an answer or with an error; see {@link #isFailed()}. */
    boolean isDone();

    /**
     * Returns whether the query has ended with the broker's {@link #errorCode()}. If the brokers do not know the
     * partition, it does so after a minute: UNKNOWN_TOPIC_OR_PARTITION.
     */
    boolean isFailed();

    /** The offset found, or {@link #NULL_OFFSET}. */
    long offset();

    /** The timestamp of the record at the offset if a timestamp was requested; otherwise -1. */
    long offsetTimestamp();

    /** The leader epoch of the record at the offset, or -1 if it is unknown. */
    int leaderEpoch();

    /** The error of a failed query; otherwise 0. */
    short errorCode();
}
