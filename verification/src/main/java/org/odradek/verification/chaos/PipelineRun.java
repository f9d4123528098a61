// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.PipelineJudge.Rule;

import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A chaos run of a pipeline that consumes, transforms and publishes: strikes with fault after fault, and then judges
 * the output by the input and by the ledgers of all incarnations.
 *
 * @param kinds                of faults to strike with.
 * @param isAcknowledgingEarly a defect of the pipeline, which the verdict must find.
 * @param out                  gets a line for each fault.
 */
record PipelineRun(
    List<PipelineFault> kinds, Settings settings, boolean isAcknowledgingEarly, Consumer<String> out)
{
    private static final int RECORDS_AFTER = 300;
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

    /** A run with the defect, and with the fault that shows it. */
    static PipelineRun defective(final long seed, final int workerCount, final Consumer<String> out)
    {
        return new PipelineRun(
            List.of(PipelineFault.END_WITHOUT_LEADER), Settings.brief(seed, workerCount), true, out);
    }

    /** A table with the defect, which breaks {@link Rule#NOTHING_LOST}. */
    static String defectTable(final RunResult<Rule> found)
    {
        return RunResult.defectHead("the pipeline") + found.defectRow(
            "input acknowledged before its output", PipelineFault.END_WITHOUT_LEADER, Rule.NOTHING_LOST) + '\n';
    }

    /** Runs all faults and returns the verdict. */
    RunResult<Rule> run()
    {
        try (ChaosPipeline pipeline = new ChaosPipeline(settings, isAcknowledgingEarly))
        {
            out.accept("seed " + settings.seed() + ": " + pipeline.start() + " starts");
            pipeline.awaitPublished(RECORDS_AFTER);
            final FaultPlan<PipelineFault> plan = new FaultPlan<>(
                new Random(settings.seed()), kinds, pipeline::describe, out);
            plan.strikeFor(settings.seconds(), (kind, random) ->
            {
                final String done = kind.fault.strike(pipeline, random);
                pipeline.heal();
                pipeline.awaitPublished(RECORDS_AFTER);
                return done;
            });
            final Verdict<Rule> verdict = plan.run("After the last fault", pipeline::settle);
            return new RunResult<>(verdict, plan.counts(), plan.problems());
        }
    }
}
