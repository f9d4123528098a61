// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/** What a response has shown, to which the fetches that follow adapt. The next response fills it again. */
final class FetchSample
{
    /** Of the response, in bytes. */
    int length;
    /** Of the receive buffer. */
    int capacity;
    /** That the fetches ask for. */
    int partitionCount;
    /** The number of whole batches in the response, or of messages of magic 0 and 1. */
    int batchCount;
    /** The log of some partition holds records after those in the response. */
    boolean isMoreInLog;
    boolean isThrottled;
    /** Nothing but the request has delayed or hastened the response, and no partition had an error. */
    boolean isPlain;
    /** The shortest time to the first byte of a response on the connection. */
    long roundTripNs;
}
