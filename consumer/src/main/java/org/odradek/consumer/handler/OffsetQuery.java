// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * A request for one offset of a partition, and its result. The result arrives while the consumer is polled. Only the
 * polling thread may use it.
 */
public interface OffsetQuery
{
    /** The offset if no record has the requested timestamp or a later one, and until the result arrives. */
    long NULL_OFFSET = -1;

    /** The id of the partition. */
    int partition();

    /** The requested timestamp: milliseconds since 1970, -1 for the end of the log, or -2 for its beginning. */
    long timestamp();

    /** Returns true if the query has ended, with a result or with an error; see {@link #isFailed()}. */
    boolean isDone();

    /**
     * Returns true if the query has ended with the broker's {@link #errorCode()}. If the brokers do not know the topic
     * or the partition, it fails after a minute: UNKNOWN_TOPIC_OR_PARTITION. It waits as long as no broker answers.
     */
    boolean isFailed();

    /** The offset found, or {@link #NULL_OFFSET}. */
    long offset();

    /** The timestamp of the record at the offset if a timestamp was requested; otherwise -1. */
    long offsetTimestamp();

    /** The leader epoch of the record at the offset, or -1 if it is unknown. */
    int leaderEpoch();

    /** Kafka's code of the error of a failed query; otherwise 0. */
    short errorCode();
}
