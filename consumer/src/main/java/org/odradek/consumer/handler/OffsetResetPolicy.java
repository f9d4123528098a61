// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import java.time.Duration;
import java.util.Locale;

/**
 * Determines what happens to a partition whose log does not hold the requested offset: because retention or an
 * administrator has deleted it, because it was never written, or because a new leader's log was truncated (KIP-320).
 * Every policy except {@link #fail()} continues without a call of the application, and raises {@code onReset} and, if
 * offsets are skipped, {@code onGap}.
 * <p>
 * If a new leader reports the offset at which its log diverges from the one that was read, every policy except
 * {@link #fail()} continues at that offset: nothing of the new log is skipped.
 */
public final class OffsetResetPolicy
{
    /** Where a partition continues. */
    public enum Kind
    {
        /** It stops. */
        FAIL,
        /** At the first record of the log. */
        EARLIEST,
        /** After the last record of the log. */
        LATEST,
        /** At the end of the log that is nearer to the requested offset. */
        NEAREST,
        /** At the first record that is not older than a duration. */
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

    /** Stops the partition and reports it to the error handler and {@code onPartitionStopped}; the others continue. */
    public static OffsetResetPolicy fail()
    {
        return FAIL;
    }

    /**
     * Continues at the first record that the log holds. If the requested offset is beyond the end of the log, records
     * are delivered again.
     */
    public static OffsetResetPolicy earliest()
    {
        return EARLIEST;
    }

    /** Continues with the records that are written from now on. */
    public static OffsetResetPolicy latest()
    {
        return LATEST;
    }

    /**
     * Continues at the nearer end of the log: at the first record if the requested offset is before it, after the last
     * record if it is beyond. Only deleted records are skipped, and no record is delivered twice.
     */
    public static OffsetResetPolicy nearest()
    {
        return NEAREST;
    }

    /**
     * Continues at the first record whose timestamp is not older than a duration, by the clock of this machine; if
     * there is none, with the records that are written from now on.
     *
     * @param duration to go back in time, 0 or more.
     * @return the policy.
     */
    public static OffsetResetPolicy byDuration(final Duration duration)
    {
        if (duration.isNegative())
        {
            throw new IllegalArgumentException("duration " + duration + " is negative: it is how far to go back");
        }
        return new OffsetResetPolicy(Kind.BY_DURATION, Duration.ofMillis(duration.toMillis()));
    }

    /** Where a partition continues. */
    public Kind kind()
    {
        return kind;
    }

    /** How far to go back in time with {@link Kind#BY_DURATION}; zero for every other policy. */
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
