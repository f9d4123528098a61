// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * The codes that an offer or a claim returns if the record was not accepted. All codes are negative, whereas a position
 * is 1 or more.
 */
public final class OfferResult
{
    /**
     * The record needs a new batch, and all memory for batches is in use. Call {@link Publisher#doWork()} and try
     * again; a {@code ControlledRecordHandler} returns {@code ABORT} to try again.
     */
    public static final long BACK_PRESSURED = -1;
    /** The partitions of the topic are not known yet. Call {@link Publisher#doWork()} and try again. */
    public static final long NOT_CONNECTED = -2;
    /** The publisher is closed, or is being closed and reports the batches that it gives up. */
    public static final long CLOSED = -3;
    /** The record is too large for an empty batch ({@link PublisherContext#batchLength(int)}). */
    public static final long TOO_LARGE = -4;
    /**
     * A batch of the partition was given up, and neither {@link TopicPublisher#skipFailed} nor {@link
     * TopicPublisher#skipAll} has been called since.
     */
    public static final long STOPPED = -5;

    private static final String[] NAMES = {"BACK_PRESSURED", "NOT_CONNECTED", "CLOSED", "TOO_LARGE", "STOPPED"};

    private OfferResult()
    {
    }

    /** Returns the name of a code, or the number itself if it is not a code. */
    public static String name(final long result)
    {
        return result < 0 && result >= -NAMES.length ? NAMES[(int)-result - 1] : String.valueOf(result);
    }
}
