// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** What several runs have come to together. */
final class Totals
{
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_HOUR = 3.6e12;

    private final long startNs = System.nanoTime();
    private final long[] effects = new long[FaultKind.values().length];
    private final List<Long> settledNs = new ArrayList<>();
    private long runs;
    private long firstSeed = Long.MAX_VALUE;
    private long lastSeed;
    private long simulatedNs;
    private long records;
    private long threadNs;

    void add(final RunResult result)
    {
        runs++;
        firstSeed = Math.min(firstSeed, result.settings().seed());
        lastSeed = Math.max(lastSeed, result.settings().seed());
        simulatedNs += result.timeNs();
        records += result.records();
        settledNs.addAll(result.settled());
        for (int i = 0; i < effects.length; i++)
        {
            effects[i] += result.effects()[i];
        }
    }

    /** Adds the time that a thread has run seeds. */
    void addThreadTime(final long durationNs)
    {
        threadNs += durationNs;
    }

    String seeds()
    {
        return firstSeed + " to " + lastSeed;
    }

    double hours()
    {
        return simulatedNs / NANOS_PER_HOUR;
    }

    long records()
    {
        return records;
    }

    long effects(final FaultKind kind)
    {
        return effects[kind.ordinal()];
    }

    long effects()
    {
        return LongStream.of(effects).sum();
    }

    double recordsPerSecond()
    {
        return records / (simulatedNs / NANOS_PER_SECOND);
    }

    /** Returns simulated seconds for each second of one core. */
    double speed()
    {
        return simulatedNs / (double)(threadNs > 0 ? threadNs : System.nanoTime() - startNs);
    }

    /** Returns the median time in seconds that the consumer took to catch up after the last fault of a round. */
    double medianSettledSeconds()
    {
        Collections.sort(settledNs);
        return settledNs.isEmpty() ? 0 : settledNs.get(settledNs.size() / 2) / NANOS_PER_SECOND;
    }

    String faultsByKind()
    {
        final StringBuilder text = new StringBuilder("Faults that took effect:");
        for (final FaultKind kind : FaultKind.values())
        {
            text.append(' ').append(kind).append(' ').append(effects(kind));
        }
        return text.toString();
    }

    @Override
    public String toString()
    {
        final double wallSeconds = Math.max(1, System.nanoTime() - startNs) / NANOS_PER_SECOND;
        return String.format(Locale.ROOT,
            "%,d seeds (%s), %,.1f simulated hours in %,d s, %,d faults, %,d records (%,.0f per simulated second), " +
            "%,.0f simulated seconds per second%s",
            runs, seeds(), hours(), TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs), effects(), records,
            recordsPerSecond(), simulatedNs / NANOS_PER_SECOND / wallSeconds,
            threadNs > 0 ? String.format(Locale.ROOT, ", %,.0f per core", speed()) : "");
    }
}
