// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.tools.Table;
import org.odradek.verification.chaos.ChaosRun.Plan;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A soak: one process consumes, processes with workers and publishes for hours, while faults strike its cluster every
 * few minutes. It measures the process at an interval, and judges the slopes, and whether a record was lost.
 */
final class SoakRun
{
    /**
     * The settings of a run.
     *
     * @param seed          the same one gives the same faults in the same order.
     * @param samples       taken, each an interval after the one before.
     * @param sampleSeconds the interval.
     * @param faultSeconds  from the end of a fault to the next one.
     * @param rate          records written per second.
     * @param isLeaking     a defect of the process, which the verdict must find.
     */
    record Settings(long seed, int samples, int sampleSeconds, int faultSeconds, int rate, boolean isLeaking)
    {
    }

    private final List<SoakFault> kinds;
    private final Settings settings;
    private final Consumer<String> out;
    private final Plan<SoakFault> plan;
    private final List<SoakSample> samples = new ArrayList<>();
    private final Map<SoakFault, Integer> faults = new EnumMap<>(SoakFault.class);
    private final List<String> problems = new CopyOnWriteArrayList<>();
    /** The last sample is taken, or there is a problem. */
    private final CountDownLatch end = new CountDownLatch(1);

    /**
     * @param kinds of faults to strike with.
     * @param out   gets a line for each sample and for each fault.
     */
    SoakRun(final List<SoakFault> kinds, final Settings settings, final Consumer<String> out)
    {
        this.kinds = kinds;
        this.settings = settings;
        this.out = out;
        plan = new Plan<>(settings.seed(), kinds);
    }

    /** Runs to the end, or to the first problem. */
    Result run()
    {
        out.accept("seed " + settings.seed() + ": starting " + ChaosCluster.BROKER_COUNT + " brokers and the process");
        try (SoakPipeline pipeline = new SoakPipeline(settings.rate(), settings.isLeaking()))
        {
            start(pipeline);
            // The process meets each kind before the first sample: what it needs for them is no slope.
            kinds.forEach((kind) -> strike(pipeline));
            final Thread striker = new Thread(() -> strikeToTheEnd(pipeline), "soak-faults");
            striker.start();
            sample(pipeline);
            end.countDown();
            join(striker);
            List<String> counters = List.of();
            if (problems.isEmpty())
            {
                counters = settle(pipeline);
            }
            return new Result(settings, samples.size() < SoakVerdict.LEAST_SAMPLES ? null : new SoakVerdict(samples),
                faults, pipeline.ledger().ackedCount(), pipeline.ledger().repeatCount(), counters, problems);
        }
    }

    private void start(final SoakPipeline pipeline)
    {
        try
        {
            pipeline.awaitFirst();
        }
        catch (final RuntimeException ex)
        {
            onProblem("At the start: " + ex + "\n" + pipeline.describe());
        }
    }

    private void sample(final SoakPipeline pipeline)
    {
        final long startNs = System.nanoTime();
        for (int i = 1; i <= settings.samples(); i++)
        {
            final long dueNs = startNs + TimeUnit.SECONDS.toNanos((long) i * settings.sampleSeconds());
            if (isEnded(dueNs - System.nanoTime()))
            {
                return;
            }
            try
            {
                samples.add(pipeline.sample((System.nanoTime() - startNs) / (double) TimeUnit.HOURS.toNanos(1)));
                out.accept(samples.get(samples.size() - 1).toText());
            }
            catch (final RuntimeException ex)
            {
                onProblem("Sample " + i + ": " + ex + "\n" + pipeline.describe());
            }
        }
    }

    private void strikeToTheEnd(final SoakPipeline pipeline)
    {
        while (!isEnded(TimeUnit.SECONDS.toNanos(settings.faultSeconds())))
        {
            strike(pipeline);
        }
    }

    /** The process must catch up after each fault. */
    private void strike(final SoakPipeline pipeline)
    {
        if (!problems.isEmpty())
        {
            return;
        }
        final SoakFault kind = plan.next();
        try
        {
            final String what = kind.strike(pipeline, plan.newRandom());
            final long endNs = System.nanoTime();
            pipeline.heal();
            faults.merge(kind, 1, Integer::sum);
            out.accept(kind + ": " + what + "; " + Table.figure((System.nanoTime() - endNs) / 1e9) +
                " s until the cluster is whole and the process has caught up");
        }
        catch (final RuntimeException ex)
        {
            onProblem("During " + kind + ": " + ex + "\n" + pipeline.describe());
        }
    }

    private List<String> settle(final SoakPipeline pipeline)
    {
        List<String> counters = List.of();
        try
        {
            counters = pipeline.settle();
        }
        catch (final RuntimeException ex)
        {
            onProblem("After the last sample: " + ex + "\n" + pipeline.describe());
        }
        problems.addAll(pipeline.ledger().problems());
        return counters;
    }

    private void onProblem(final String problem)
    {
        problems.add(problem);
        end.countDown();
    }

    /** Waits for so long, or until the end. */
    private boolean isEnded(final long ns)
    {
        try
        {
            return end.await(ns, TimeUnit.NANOSECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * The result of a run.
     *
     * @param verdict  on the samples; null if there are too few, because of a problem.
     * @param faults   how often each kind has struck.
     * @param written  records of the input.
     * @param repeated records of the output that it held before.
     * @param counters of the clients.
     * @param problems sentences on what was lost, or why the run has ended early.
     */
    record Result(
        Settings settings,
        SoakVerdict verdict,
        Map<SoakFault, Integer> faults,
        long written,
        long repeated,
        List<String> counters,
        List<String> problems)
    {
        boolean isClean()
        {
            return problems.isEmpty() && verdict.failures().isEmpty();
        }

        /** Returns the faults, problems and counters, and a line that sums up. */
        String toText()
        {
            final StringBuilder text = new StringBuilder("faults: ").append(faults).append('\n');
            counters.forEach((line) -> text.append("\ncounters of the ").append(line).append('\n'));
            problems.forEach((problem) -> text.append("\nproblem: ").append(problem).append('\n'));
            return text.append('\n').append(lastLine()).toString();
        }

        private String lastLine()
        {
            final String grown = verdict == null ? "" : verdict.failures().stream()
                .map((quantity) -> quantity.text).collect(Collectors.joining(", "));
            return (isClean() ? "CLEAN: " : "NOT CLEAN: ") + written + " records written, " + repeated +
                " repeated in the output; " + faults.values().stream().mapToInt(Integer::intValue).sum() +
                " faults; " + (problems.isEmpty() ? "no record lost; " : "see the problems; ") +
                (verdict == null ? "too few samples." : grown.isEmpty() ? "nothing grows by more than its bound." :
                "these grow by more than their bounds: " + grown + ".");
        }
    }
}
