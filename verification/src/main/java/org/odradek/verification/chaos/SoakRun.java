// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.tools.Table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
    private final List<SoakSample> samples = new ArrayList<>();
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
    }

    /** Runs to the end, or to the first problem. */
    Result run()
    {
        out.accept("seed " + settings.seed() + ": starting " + ChaosCluster.BROKER_COUNT + " brokers and the process");
        try (SoakPipeline pipeline = new SoakPipeline(settings.rate(), settings.isLeaking()))
        {
            final FaultPlan<SoakFault> plan = new FaultPlan<>(
                new Random(settings.seed()), kinds, pipeline::describe, out);
            plan.run("At the start", () ->
            {
                pipeline.awaitFirst();
                return null;
            });
            // The process meets each kind before the first sample: what it needs for them is no slope.
            plan.strikeFor(0, (kind, random) -> strike(pipeline, kind, random));
            final Thread striker = new Thread(() -> strikeToTheEnd(plan, pipeline), "soak-faults");
            striker.start();
            sample(plan, pipeline);
            end.countDown();
            join(striker);
            final boolean isWhole = plan.problems().isEmpty();
            final List<String> counters = plan.run("After the last sample", pipeline::settle);
            if (isWhole)
            {
                plan.problems().addAll(pipeline.ledger().problems());
            }
            return new Result(samples.size() < SoakVerdict.LEAST_SAMPLES ? null : new SoakVerdict(samples),
                plan.counts(), pipeline.ledger().ackedCount(), pipeline.ledger().repeatCount(),
                counters == null ? List.of() : counters, plan.problems());
        }
    }

    private void sample(final FaultPlan<SoakFault> plan, final SoakPipeline pipeline)
    {
        final long startNs = System.nanoTime();
        for (int i = 1; i <= settings.samples() && plan.problems().isEmpty(); i++)
        {
            final long dueNs = startNs + TimeUnit.SECONDS.toNanos((long) i * settings.sampleSeconds());
            if (isEnded(dueNs - System.nanoTime()))
            {
                return;
            }
            final SoakSample sample = plan.run("Sample " + i, () ->
                pipeline.sample((System.nanoTime() - startNs) / (double) TimeUnit.HOURS.toNanos(1)));
            if (sample != null)
            {
                samples.add(sample);
                out.accept(sample.toText());
            }
        }
    }

    private void strikeToTheEnd(final FaultPlan<SoakFault> plan, final SoakPipeline pipeline)
    {
        while (plan.problems().isEmpty() && !isEnded(TimeUnit.SECONDS.toNanos(settings.faultSeconds())))
        {
            plan.strike((kind, random) -> strike(pipeline, kind, random));
        }
        end.countDown();
    }

    /** The process must catch up after each fault. */
    private static String strike(final SoakPipeline pipeline, final SoakFault kind, final Random random)
    {
        final String done = kind.fault.strike(pipeline, random);
        final long endNs = System.nanoTime();
        pipeline.heal();
        return done + "; " + Table.figure((System.nanoTime() - endNs) / 1e9) +
            " s until the cluster is whole and the process has caught up";
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
