// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/** The measurements of a response, to which the following fetches adapt. The next response overwrites them. */
final class FetchSample
{
    /** The length of the response in bytes. */
    int length;
    /** The length of the receive buffer in bytes. */
    int capacity;
    /** The number of partitions that the fetches request. */
    int partitionCount;
    /** The number of whole batches in the response, or of messages of magic 0 and 1. */
    int batchCount;
    /** True if the log of a partition holds records after those in the response. */
    boolean isMoreInLog;
    boolean isThrottled;
    /** True if only the request determined the time of the response, and no partition had an error. */
    boolean isPlain;
    /** The shortest time in nanoseconds to the first byte of a response on the connection. */
    long roundTripNs;
    /** The time in nanoseconds from the first byte of the response to its last byte. */
    long receiveNs;
}
