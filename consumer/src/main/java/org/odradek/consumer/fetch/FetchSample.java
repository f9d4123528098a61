// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/** The measurements of a response, to which the following fetches adapt. The next response overwrites them. */
final class FetchSample
{
    int length;
    int capacity;
    /** The number of partitions of the connection. */
    int partitionCount;
    /** The number of batches whose headers were read, and of messages of magic 0 and 1. */
    int batchCount;
    boolean isMoreInLog;
    boolean isThrottled;
    /** False if the response was throttled or had an error, or if a partition has changed since the request. */
    boolean isPlain;
    /** The shortest time in nanoseconds from a request to the first byte of its response on the socket. */
    long roundTripNs;
    /** The time in nanoseconds from the first byte of the response to its last byte. */
    long receiveNs;
}
