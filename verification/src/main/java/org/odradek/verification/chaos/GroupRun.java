// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A chaos run of a group: strikes members, coordinator and topic with fault after fault, and then judges what the
 * ledgers of all members hold.
 */
final class GroupRun
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

    private final List<GroupFault> kinds;
    private final Random random;
    private final Settings settings;
    private final GroupSabotage sabotage;
    private final Consumer<String> out;
    private final Map<GroupFault, Integer> faults = new EnumMap<>(GroupFault.class);
    private final List<String> problems = new ArrayList<>();

    /**
     * @param kinds of faults to strike with.
     * @param out   gets a line for each fault.
     */
    GroupRun(
        final List<GroupFault> kinds,
        final Settings settings,
        final GroupSabotage sabotage,
        final Consumer<String> out)
    {
        this.kinds = kinds;
        this.random = new Random(settings.seed());
        this.settings = settings;
        this.sabotage = sabotage;
        this.out = out;
    }

    /** A run of the fault that shows a defect of our members, and another one. */
    static GroupRun of(final GroupSabotage defect, final long seed, final Consumer<String> out)
    {
        return new GroupRun(List.of(GroupFault.JOIN, defect.fault()), Settings.brief(seed, CONSUMER), defect, out);
    }

    /** Runs all faults and returns the verdict. */
    Result run()
    {
        try (ChaosGroup group = new ChaosGroup(settings, sabotage))
        {
            for (int i = 0; i < FIRST_MEMBERS; i++)
            {
                group.prepare(null).join();
            }
            group.awaitOwned();
            final long startNs = System.nanoTime();
            final List<GroupFault> round = new ArrayList<>();
            for (int i = 0; problems.isEmpty() &&
                (i < kinds.size() || System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(settings.seconds())); i++)
            {
                if (round.isEmpty())
                {
                    round.addAll(kinds);
                    Collections.shuffle(round, random);
                }
                strike(round.remove(0), group, startNs);
            }
            if (sabotage.fault() == GroupFault.JOIN)
            {
                // A member that gets its partitions after the last record finds all of it committed.
                group.awaitQuiet();
            }
            final GroupVerdict verdict = group.settle();
            if (!verdict.isClean())
            {
                out.accept(group.describe());
                out.accept("what happened in the group: " + write(verdict.lines(startNs)));
            }
            return new Result(verdict, faults, problems);
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

    private void strike(final GroupFault kind, final ChaosGroup group, final long startNs)
    {
        try
        {
            final String what = kind.strike(group, new Random(random.nextLong()));
            faults.merge(kind, 1, Integer::sum);
            out.accept(String.format("%5.1f s  %s: %s", (System.nanoTime() - startNs) / 1e9, kind, what));
            GroupFault.pause(random.nextInt(MAX_PAUSE_MS));
        }
        catch (final RuntimeException ex)
        {
            problems.add("During " + kind + ": " + ex.getMessage() + "\n" + group.describe());
        }
    }

    /**
     * The result of a run.
     *
     * @param faults   how often each kind has struck.
     * @param problems sentences that say why the run ended early.
     */
    record Result(GroupVerdict verdict, Map<GroupFault, Integer> faults, List<String> problems)
    {
        boolean isClean()
        {
            return problems.isEmpty() && verdict.isClean();
        }

        /** Whether the rule that should find a defect is violated. */
        boolean isFound(final GroupSabotage defect)
        {
            return !verdict.findings(defect.rule()).isEmpty();
        }

        /** A row of the table of defects. */
        String row(final GroupSabotage defect)
        {
            return "| " + defect + " | " + defect.fault() + " | " + defect.rule().sentence + " | " +
                (isFound(defect) ? verdict.findings(defect.rule()).get(0) : "**not found**") + " |";
        }

        String toText()
        {
            final StringBuilder text = new StringBuilder("faults: ").append(faults).append("\n\n");
            problems.forEach((problem) -> text.append("problem: ").append(problem).append('\n'));
            return text.append(verdict.toText()).toString();
        }
    }
}
