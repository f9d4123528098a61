// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/** The measurements of the last response over a connection. */
final class FetchSample
{
    int length;
    int capacity;
    int partitionCount;
    /** The number of batches whose headers were read, and of messages of magic 0 and 1. */
    int batchCount;
    boolean isMoreInLog;
    boolean isThrottled;
    /**
     * False if the response must not be compared with others: it was throttled, had the error of a partition, named a
     * replica to read from, ended the session or left out partitions of a full request, or a partition has changed
     * since the request.
     */
    boolean isPlain;
    /**
     * The shortest time from a request to the first byte of its response since the socket was opened, in nanoseconds.
     */
    long roundTripNs;
    /** The time in nanoseconds from the first byte of the response to its last byte. */
    long receiveNs;
}
