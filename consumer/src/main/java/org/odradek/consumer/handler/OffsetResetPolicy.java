// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import java.time.Duration;
import java.util.Locale;

/**
 * Determines what happens to a partition whose log does not hold the requested offset, or was truncated below that
 * offset (KIP-320). {@code ConsumerListener.onReset} reports a reset, and {@code onGap} reports skipped offsets.
 * <p>
 * If a new leader reports the offset at which its log diverges from the log that was read, every policy except {@link
 * #fail()} continues at that offset.
 */
public final class OffsetResetPolicy
{
    /** Determines where a partition continues. */
    public enum Kind
    {
        /** The partition stops. */
        FAIL,
        /** The partition continues at the first record of the log. */
        EARLIEST,
        /** The partition continues at the end of the log. */
        LATEST,
        /**
         * The partition continues at the first record of the log or after the last one, whichever is nearer to the
         * requested offset.
         */
        NEAREST,
        /** The partition continues at the first record that is not older than a duration. */
        BY_DURATION
    }

    private static final OffsetResetPolicy FAIL = new OffsetResetPolicy(Kind.FAIL, Duration.ZERO);
    private static final OffsetResetPolicy EARLIEST = new OffsetResetPolicy(Kind.EARLIEST, Duration.ZERO);
    private static final OffsetResetPolicy LATEST = new OffsetResetPolicy(Kind.LATEST, Duration.ZERO);
    private static final OffsetResetPolicy NEAREST = new OffsetResetPolicy(Kind.NEAREST, Duration.ZERO);

    private final Kind kind;
    private final Duration duration;

    private OffsetResetPolicy(final Kind kind, final Duration duration)
    {
        this.kind = kind;
        this.duration = duration;
    }

    /**
     * Stops the partition, and reports the stop to the error handler and to {@code
     * ConsumerListener.onPartitionStopped}; the other partitions continue.
     */
    public static OffsetResetPolicy fail()
    {
        return FAIL;
    }

    /**
     * Continues at the first record that the log holds. If the requested offset is beyond the end of the log, all
     * records of the log are delivered, also those that were delivered before.
     */
    public static OffsetResetPolicy earliest()
    {
        return EARLIEST;
    }

    /**
     * Continues at the end of the log: at the high watermark or, with {@code READ_COMMITTED}, at the last stable
     * offset.
     */
    public static OffsetResetPolicy latest()
    {
        return LATEST;
    }

    /**
     * Continues at the first record of the log if the requested offset is before that record, and after the last record
     * if the requested offset is beyond the end of the log.
     */
    public static OffsetResetPolicy nearest()
    {
        return NEAREST;
    }

    /**
     * Continues at the first record whose timestamp is not older than a duration, by the {@code epochClock} of the
     * consumer. If there is no such record, the partition continues at the end of the log.
     *
     * @param duration how far to go back in time, 0 or more; fractions of a millisecond are dropped.
     * @throws IllegalArgumentException if the duration is negative.
     */
    public static OffsetResetPolicy byDuration(final Duration duration)
    {
        if (duration.isNegative())
        {
            throw new IllegalArgumentException("duration " + duration + " is negative: it is how far to go back");
        }
        return new OffsetResetPolicy(Kind.BY_DURATION, Duration.ofMillis(duration.toMillis()));
    }

    /** Returns the kind of the policy, which determines where a partition continues. */
    public Kind kind()
    {
        return kind;
    }

    /** Returns the time to go back with {@link Kind#BY_DURATION}; zero for every other policy. */
    public Duration duration()
    {
        return duration;
    }

    @Override
    public String toString()
    {
        return kind == Kind.BY_DURATION ? "by duration " + duration : kind.name().toLowerCase(Locale.ROOT);
    }
}
