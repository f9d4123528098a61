// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.fetch.ResetSettings;

import java.time.Duration;

/**
 * What is done with a partition whose log does not hold the offset wanted: because retention or an administrator has
 * deleted it, because it was never written, or because a new leader's log was truncated (KIP-320). Every policy but
 * {@link #fail()} goes on by itself and raises {@code onReset} and, where offsets are skipped, {@code onGap}.
 * <p>
 * Where a new leader tells from which offset on its log is another than the one that was read, every policy but
 * {@link #fail()} goes on from there: nothing of the new log is skipped.
 */
public final class OffsetResetPolicy
{
    private static final OffsetResetPolicy FAIL = new OffsetResetPolicy(ResetSettings.Kind.FAIL, 0, "fail");
    private static final OffsetResetPolicy EARLIEST =
        new OffsetResetPolicy(ResetSettings.Kind.EARLIEST, 0, "earliest");
    private static final OffsetResetPolicy LATEST = new OffsetResetPolicy(ResetSettings.Kind.LATEST, 0, "latest");
    private static final OffsetResetPolicy NEAREST = new OffsetResetPolicy(ResetSettings.Kind.NEAREST, 0, "nearest");

    private final ResetSettings settings;
    private final String text;

    private OffsetResetPolicy(final ResetSettings.Kind kind, final long durationMs, final String text)
    {
        settings = new ResetSettings(kind, durationMs);
        this.text = text;
    }

    /**
     * Stop the partition, and tell the error handler and {@code onPartitionStopped}; the others go on.
     */
    public static OffsetResetPolicy fail()
    {
        return FAIL;
    }

    /**
     * Go on with the first record that the log holds. Where the offset wanted is beyond the end, records are delivered
     * again.
     */
    public static OffsetResetPolicy earliest()
    {
        return EARLIEST;
    }

    /**
     * Go on with what is written from now on.
     */
    public static OffsetResetPolicy latest()
    {
        return LATEST;
    }

    /**
     * Go on at the end of the log that is nearest: with the first record if the offset wanted is below it, behind the
     * last record if it is beyond. What is skipped then is gone, and nothing is delivered that was not wanted.
     */
    public static OffsetResetPolicy nearest()
    {
        return NEAREST;
    }

    /**
     * Go on with the first record whose timestamp is not older than a duration, by the clock of this machine; if there
     * is none, with what is written from now on.
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
        return new OffsetResetPolicy(ResetSettings.Kind.BY_DURATION, duration.toMillis(), "by duration " + duration);
    }

    ResetSettings settings()
    {
        return settings;
    }

    @Override
    public String toString()
    {
        return text;
    }
}
