// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.HdrHistogram.Histogram;

import java.util.concurrent.TimeUnit;

/**
 * What one step of one arm came to, as it travels from the arm's JVM.
 *
 * @param chains            how many ran.
 * @param sent              messages, each of which arrived exactly once.
 * @param isCut             sending was given up, because the backlog was seconds long.
 * @param processCpuPercent of one core, the client's JVM with sender and services, in the measured time.
 * @param brokerCpuPercent  of one core, the broker's process; 0 where there is none, or it is not ours.
 * @param corrected         latencies in nanoseconds from the intended time of sending, {@link Histograms encoded}.
 * @param uncorrected       the same from the actual time of sending.
 */
record StepResult(
    int chains,
    long sent,
    boolean isCut,
    double processCpuPercent,
    double brokerCpuPercent,
    String corrected,
    String uncorrected)
{
    static final double LIMIT_PERCENTILE = 99.9;
    static final long LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * @return whether the chains held: all messages in time, coordinated omission corrected.
     */
    @JsonIgnore
    boolean isHeld()
    {
        return !isCut && limitedNs() < LIMIT_NS;
    }

    /** The percentile that is limited; 0 if the step was cut before anything was measured. */
    long limitedNs()
    {
        return correctedHistogram().getValueAtPercentile(LIMIT_PERCENTILE);
    }

    Histogram correctedHistogram()
    {
        return Histograms.decode(corrected);
    }

    Histogram uncorrectedHistogram()
    {
        return Histograms.decode(uncorrected);
    }
}
