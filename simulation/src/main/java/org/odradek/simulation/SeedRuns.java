// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Runs seeds that follow one another, one on each of several threads, until one fails or enough time was simulated. */
final class SeedRuns
{
    private final long count;
    private final long first;
    private final long maxHours;
    private final LongFunction<RunSettings> settings;
    private final Totals totals = new Totals();
    private boolean isContinued;
    private Consumer<RunResult> failures = (result) ->
    {
    };
    private long begun;
    private RunResult failed;
    private Throwable death;

    /**
     * @param first    seed.
     * @param count    of seeds, at most.
     * @param maxHours simulated after which no further seed is begun.
     * @param settings of the run of a seed.
     */
    SeedRuns(final long first, final long count, final long maxHours, final LongFunction<RunSettings> settings)
    {
        this.first = first;
        this.count = count;
        this.maxHours = maxHours;
        this.settings = settings;
    }

    /** Continues after a seed that has failed. */
    SeedRuns continued(final Consumer<RunResult> newFailures)
    {
        isContinued = true;
        failures = newFailures;
        return this;
    }

    /**
     * @param threadCount     number of threads.
     * @param progressSeconds between two lines of progress.
     * @param lines           receives the progress.
     * @return the run that failed, the one with the smallest seed of those that failed, or null.
     * @throws IllegalStateException if a run could not begin.
     */
    RunResult run(final int threadCount, final int progressSeconds, final Consumer<String> lines)
    {
        final Thread[] threads = new Thread[threadCount];
        for (int i = 0; i < threadCount; i++)
        {
            threads[i] = new Thread(this::runSeeds, "simulation-" + i);
            threads[i].setUncaughtExceptionHandler((thread, ex) -> died(ex));
            threads[i].start();
        }
        try
        {
            for (final Thread thread : threads)
            {
                thread.join(TimeUnit.SECONDS.toMillis(progressSeconds));
                while (thread.isAlive())
                {
                    lines.accept(progress());
                    thread.join(TimeUnit.SECONDS.toMillis(progressSeconds));
                }
            }
        }
        catch (final InterruptedException ex)
        {
            stop();
            Thread.currentThread().interrupt();
        }
        if (death != null)
        {
            throw new IllegalStateException("A run could not begin: " + death.getMessage(), death);
        }
        return failed;
    }

    private void runSeeds()
    {
        final long startNs = System.nanoTime();
        for (long seed = next(); seed >= 0; seed = next())
        {
            add(RunResult.of(settings.apply(seed), null));
        }
        addThreadTime(System.nanoTime() - startNs);
    }

    /** Returns the next seed, or -1 if there is none. */
    private synchronized long next()
    {
        final boolean isEnough = begun >= count || totals.hours() >= maxHours;
        return failed != null && !isContinued || isEnough ? -1 : first + begun++;
    }

    private synchronized void stop()
    {
        begun = count;
    }

    private synchronized void died(final Throwable ex)
    {
        death = ex;
        stop();
    }

    private synchronized void add(final RunResult result)
    {
        totals.add(result);
        if (!result.isClean())
        {
            failures.accept(result);
        }
        if (!result.isClean() && (failed == null || result.settings().seed() < failed.settings().seed()))
        {
            failed = result;
        }
    }

    private synchronized void addThreadTime(final long durationNs)
    {
        totals.addThreadTime(durationNs);
    }

    private synchronized String progress()
    {
        return totals.toString();
    }

    /** Returns the totals of all runs; not to be called while threads run. */
    Totals totals()
    {
        return totals;
    }
}
