// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.ChaosRun.Plan;
import org.odradek.verification.chaos.PipelineVerdict.Rule;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A chaos run of a pipeline that consumes, transforms and publishes: strikes with fault after fault, and then judges
 * the output by the input and by the ledgers of all incarnations.
 */
final class PipelineRun
{
    private static final int RECORDS_AFTER = 300;
    private static final int LAST_FAULTS = 50;
    private static final int WORKER_KEYS = 4;

    /**
     * The settings of a run.
     *
     * @param seed           the same one gives the same faults in the same order.
     * @param seconds        how long faults go on after each kind has struck once.
     * @param rate           records written per second.
     * @param partitionCount of the input.
     * @param workerCount    of each pipeline; 0 if its thread publishes, too.
     */
    record Settings(long seed, int seconds, int rate, int partitionCount, int workerCount)
    {
        /** Each kind of fault once. */
        static Settings brief(final long seed, final int workerCount)
        {
            return new Settings(seed, 0, 1_000, 6, workerCount);
        }

        /** The keys of a partition of the input. Several workers share a partition. */
        int keyCount()
        {
            return workerCount == 0 ? 1 : WORKER_KEYS;
        }
    }

    private final List<PipelineFault> kinds;
    private final Settings settings;
    private final boolean isAcknowledgingEarly;
    private final Consumer<String> out;
    private final Map<PipelineFault, Integer> faults = new EnumMap<>(PipelineFault.class);
    private final List<String> problems = new ArrayList<>();
    private final List<String> history = new ArrayList<>();

    /**
     * @param kinds                of faults to strike with.
     * @param isAcknowledgingEarly a defect of the pipeline, which the verdict must find.
     * @param out                  gets a line for each fault.
     */
    PipelineRun(
        final List<PipelineFault> kinds,
        final Settings settings,
        final boolean isAcknowledgingEarly,
        final Consumer<String> out)
    {
        this.kinds = kinds;
        this.settings = settings;
        this.isAcknowledgingEarly = isAcknowledgingEarly;
        this.out = out;
    }

    /** A run with the defect, and with the fault that shows it. */
    static PipelineRun defective(final long seed, final int workerCount, final Consumer<String> out)
    {
        return new PipelineRun(
            List.of(PipelineFault.END_WITHOUT_LEADER), Settings.brief(seed, workerCount), true, out);
    }

    /** Runs all faults and returns the verdict. */
    Result run()
    {
        try (ChaosPipeline pipeline = new ChaosPipeline(settings, isAcknowledgingEarly))
        {
            out.accept("seed " + settings.seed() + ": " + pipeline.start() + " starts");
            pipeline.awaitPublished(RECORDS_AFTER);
            final Plan<PipelineFault> plan = new Plan<>(settings.seed(), kinds);
            final long startNs = System.nanoTime();
            for (int i = 0; problems.isEmpty() && (i < kinds.size() ||
                System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(settings.seconds())); i++)
            {
                strike(plan, pipeline, startNs);
            }
            return new Result(problems.isEmpty() ? settle(pipeline) : null, faults, problems);
        }
    }

    private PipelineVerdict settle(final ChaosPipeline pipeline)
    {
        try
        {
            return pipeline.settle();
        }
        catch (final RuntimeException ex)
        {
            problems.add("After the last fault: " + ex + "\n" + describe(pipeline));
            return null;
        }
    }

    private void strike(final Plan<PipelineFault> plan, final ChaosPipeline pipeline, final long startNs)
    {
        final PipelineFault kind = plan.next();
        try
        {
            final String what = kind.strike(pipeline, plan.newRandom());
            pipeline.heal();
            pipeline.awaitPublished(RECORDS_AFTER);
            faults.merge(kind, 1, Integer::sum);
            final String line = String.format("%5.1f s  %s: %s", (System.nanoTime() - startNs) / 1e9, kind, what);
            history.add(line);
            out.accept(line);
        }
        catch (final RuntimeException ex)
        {
            problems.add("During " + kind + ": " + ex + "\n" + describe(pipeline));
        }
    }

    private String describe(final ChaosPipeline pipeline)
    {
        return pipeline.describe() + "\nthe last faults:\n" + String.join("\n",
            history.subList(Math.max(0, history.size() - LAST_FAULTS), history.size()));
    }

    /**
     * The result of a run.
     *
     * @param verdict  null if the run ended early.
     * @param faults   how often each kind has struck.
     * @param problems sentences that say why the run ended early.
     */
    record Result(PipelineVerdict verdict, Map<PipelineFault, Integer> faults, List<String> problems)
    {
        boolean isClean()
        {
            return problems.isEmpty() && verdict.isClean();
        }

        /** Whether the rule that should find the defect is violated. */
        boolean isDefectFound()
        {
            return verdict != null && !verdict.findings(Rule.NOTHING_LOST).isEmpty();
        }

        /** A table with the defect. */
        String defectTable()
        {
            return "| defect of the pipeline | struck with | breaks the rule | found as |\n|---|---|---|---|\n" +
                "| input acknowledged before its output | " + PipelineFault.END_WITHOUT_LEADER + " | " +
                Rule.NOTHING_LOST.sentence + " | " +
                (isDefectFound() ? verdict.findings(Rule.NOTHING_LOST).get(0) : "**not found**") + " |\n";
        }

        String toText()
        {
            final StringBuilder text = new StringBuilder("faults: ").append(faults).append("\n\n");
            problems.forEach((problem) -> text.append("problem: ").append(problem).append('\n'));
            return text.append(verdict == null ? "NOT CLEAN" : verdict.toText()).toString();
        }
    }
}
