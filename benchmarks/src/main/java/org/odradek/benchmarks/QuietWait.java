// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A wait until the processes of this machine have used little CPU for a while. This process only sleeps meanwhile. */
final class QuietWait
{
    static final Path STAT = Path.of("/proc/stat");
    private static final double LEAST_BUSY_CORES = 0.05;
    private static final int QUIET_SAMPLES = 6;
    private static final int SAMPLE_SECONDS = 5;
    /** In /proc the kernel counts in hundredths of a second. */
    private static final double TICKS_PER_SECOND = 100;

    private int quietSamples;

    /** @param stat {@link #STAT}, with the CPU time of all processes; without it, there is no wait. */
    static void await(final Path stat, final Consumer<String> progress) throws IOException, InterruptedException
    {
        if (!Files.exists(stat))
        {
            progress.accept("whether other processes run is not checked, because there is no " + stat);
            return;
        }
        final QuietWait wait = new QuietWait();
        long ticks = busyTicks(Files.readString(stat));
        long nowNs = System.nanoTime();
        for (int samples = 1; !wait.isOver(); samples++)
        {
            TimeUnit.SECONDS.sleep(SAMPLE_SECONDS);
            final long lastTicks = ticks;
            final long lastNs = nowNs;
            ticks = busyTicks(Files.readString(stat));
            nowNs = System.nanoTime();
            final double cores = (ticks - lastTicks) / TICKS_PER_SECOND / ((nowNs - lastNs) / 1e9);
            wait.onSample(cores);
            if (samples % QUIET_SAMPLES == 0 && !wait.isOver())
            {
                progress.accept(String.format(Locale.ROOT, "waiting until other processes use less than %.0f %% of a " +
                    "core for %d s; they use %.0f %%", 100 * LEAST_BUSY_CORES, QUIET_SAMPLES * SAMPLE_SECONDS,
                    100 * cores));
            }
        }
    }

    /** @param cores that were busy since the last sample, on average. */
    void onSample(final double cores)
    {
        quietSamples = cores < LEAST_BUSY_CORES ? quietSamples + 1 : 0;
    }

    boolean isOver()
    {
        return quietSamples >= QUIET_SAMPLES;
    }

    /** Returns the ticks of processes, the kernel and its interrupts on all cores, from the text of /proc/stat. */
    static long busyTicks(final String stat)
    {
        // cpu user nice system idle iowait irq softirq …
        final String[] fields = stat.lines().findFirst().orElseThrow().split(" +");
        return Long.parseLong(fields[1]) + Long.parseLong(fields[2]) + Long.parseLong(fields[3]) +
            Long.parseLong(fields[6]) + Long.parseLong(fields[7]);
    }
}
