// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.GroupJudge.Rule;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A chaos run of a group: strikes members, coordinator and topic with fault after fault, and then judges what the
 * ledgers of all members hold.
 *
 * @param kinds    of faults to strike with.
 * @param sabotage a defect of our members, which the verdict must find.
 * @param out      gets a line for each fault.
 */
record GroupRun(List<GroupFault> kinds, Settings settings, GroupSabotage sabotage, Consumer<String> out)
{
    /** Kafka's names of the protocols of groups. */
    static final String CONSUMER = "consumer";
    static final String CLASSIC = "classic";
    private static final int FIRST_MEMBERS = 2;
    private static final int MAX_PAUSE_MS = 1_500;

    /**
     * The settings of a run.
     *
     * @param seed           the same one gives the same faults in the same order.
     * @param seconds        how long faults go on after each kind has struck once.
     * @param rate           records written per second.
     * @param partitionCount of the topic at its start.
     * @param protocol       of our members and of those of librdkafka: {@link #CONSUMER} or {@link #CLASSIC}.
     * @param brokerVersion  such as 2.8.2; null for that of this class path.
     */
    record Settings(
        long seed,
        int seconds,
        int rate,
        int partitionCount,
        GroupIntervals intervals,
        String protocol,
        String brokerVersion)
    {
        /** Short intervals, and each kind of fault once. */
        static Settings brief(final long seed, final String protocol)
        {
            return new Settings(seed, 0, 500, 6, GroupIntervals.SHORT, protocol, null);
        }
    }

    /** A run of the fault that shows a defect of our members, and another one. */
    static GroupRun of(final GroupSabotage defect, final long seed, final Consumer<String> out)
    {
        return new GroupRun(List.of(GroupFault.JOIN, defect.fault()), Settings.brief(seed, CONSUMER), defect, out);
    }

    /** Runs all faults and returns the verdict. */
    RunResult<Rule> run()
    {
        try (ChaosGroup group = new ChaosGroup(settings, sabotage))
        {
            for (int i = 0; i < FIRST_MEMBERS; i++)
            {
                group.prepare(null).join();
            }
            group.awaitOwned();
            final Random random = new Random(settings.seed());
            final FaultPlan<GroupFault> plan = new FaultPlan<>(random, kinds, group::describe, out);
            plan.strikeFor(settings.seconds(), (kind, own) ->
            {
                final String done = kind.fault.strike(group, own);
                ChaosCluster.pause(random.nextInt(MAX_PAUSE_MS));
                return done;
            });
            if (sabotage.fault() == GroupFault.JOIN)
            {
                // A member that gets its partitions after the last record finds all of it committed.
                group.awaitQuiet();
            }
            final GroupHistory history = group.settle();
            final Verdict<Rule> verdict = new GroupJudge(history).verdict();
            if (!verdict.isClean())
            {
                out.accept(group.describe());
                out.accept("what happened in the group: " + write(history.lines(plan.startNs())));
            }
            return new RunResult<>(verdict, plan.counts(), plan.problems());
        }
    }

    private static Path write(final List<String> lines)
    {
        try
        {
            return Files.write(Files.createTempFile("odradek-chaos-group-", ".txt"), lines);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
