// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * What an offer or a claim returns if it was not accepted. All codes are negative; a position is 1 or more. Nothing has
 * changed then.
 */
public final class OfferResult
{
    /** All memory for batches is in use: work, and try again. Inside a handler of a consumer the answer is ABORT. */
    public static final long BACK_PRESSURED = -1;
    /** The partitions of the topic are not known yet: work, and try again. */
    public static final long NOT_CONNECTED = -2;
    /** The publisher is closed, or a close reports what it gives up. */
    public static final long CLOSED = -3;
    /** The record does not fit into an empty batch ({@link PublisherContext#batchLength(int)}): it never will. */
    public static final long TOO_LARGE = -4;
    /** A batch of the partition was given up, and {@link TopicPublisher#skipFailed} has not been called since. */
    public static final long STOPPED = -5;

    private static final String[] NAMES = {"BACK_PRESSURED", "NOT_CONNECTED", "CLOSED", "TOO_LARGE", "STOPPED"};

    private OfferResult()
    {
    }

    /** Returns the name of a code; the number for a position. */
    public static String name(final long result)
    {
        return result < 0 && result >= -NAMES.length ? NAMES[(int)-result - 1] : String.valueOf(result);
    }
}
