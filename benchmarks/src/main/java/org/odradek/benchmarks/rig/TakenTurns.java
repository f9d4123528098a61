// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.agrona.CloseHelper;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** Clients of which each does all of a turn at one command and answers it with a usage, in one or several cases. */
public final class TakenTurns implements AutoCloseable
{
    private static final int MOST_WARM_UP_TIMES = 5;

    private final Map<String, Child> children = new LinkedHashMap<>();
    private final String scenario;
    private final Cluster cluster;
    private final Child.Jvm jvm;
    private final Consumer<String> progress;
    private final List<NotRun> notRun;

    /**
     * @param cluster whose brokers' CPU is counted, or null.
     * @param notRun  takes the clients that could not be started.
     */
    public TakenTurns(final String scenario, final Cluster cluster, final Child.Jvm jvm,
        final Consumer<String> progress, final List<NotRun> notRun)
    {
        this.scenario = scenario;
        this.cluster = cluster;
        this.jvm = jvm;
        this.progress = progress;
        this.notRun = notRun;
    }

    /** Starts clients, and lets each open what it needs. */
    public TakenTurns start(final String caseName, final List<Arm> arms, final Settings settings)
    {
        arms.forEach((arm) -> start(caseName, arm, settings));
        return this;
    }

    private void start(final String caseName, final Arm arm, final Settings settings)
    {
        try
        {
            children.put(arm.name(), arm.start(settings, jvm));
            children.get(arm.name()).awaitStart();
            children.get(arm.name()).ask(Child.OPEN);
        }
        catch (final Arm.MissingException | IllegalStateException ex)
        {
            CloseHelper.close(children.remove(arm.name()));
            final String reason = String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
            progress.accept(caseName + ": without " + arm.name() + ": " + reason);
            notRun.add(new NotRun(scenario, caseName, arm.name(), reason));
        }
    }

    /**
     * Lets the clients take turns.
     *
     * @param words makes of a usage what is said about a turn.
     * @return the turns of each client that were not to warm up.
     */
    public Map<String, Usage[]> run(final String caseName, final String command, final int warmUpTurns,
        final int turns, final Function<Usage, String> words)
    {
        final List<String> clients = List.copyOf(children.keySet());
        final Map<String, Usage[]> taken = new LinkedHashMap<>();
        clients.forEach((client) -> taken.put(client, new Usage[turns]));
        for (int round = -warmUpTurns; round < turns; round++)
        {
            final StringBuilder text = new StringBuilder();
            for (final int index : TurnOrder.ofRound(Math.max(0, round), clients.size()))
            {
                final Usage usage = turn(children.get(clients.get(index)), command, round < 0);
                text.append("  ").append(clients.get(index)).append(' ').append(words.apply(usage));
                taken.get(clients.get(index))[Math.max(0, round)] = usage;
            }
            progress.accept(caseName + (round < 0 ? ", warm-up:" : ", round " + (round + 1) + " of " + turns + ":") +
                text);
        }
        return taken;
    }

    /** To warm up, a client takes several turns until the compilers of its JVM are quiet, and returns the last. */
    private Usage turn(final Child child, final String command, final boolean isWarmUp)
    {
        Usage usage;
        int turns = 0;
        do
        {
            final long brokerCpuNs = cluster == null ? Usage.UNKNOWN : cluster.brokerCpuNs();
            usage = child.ask(command, Usage.class);
            usage.brokerCpuNs = cluster == null ? Usage.UNKNOWN : cluster.brokerCpuNsSince(brokerCpuNs);
            turns++;
        }
        while (isWarmUp && turns < MOST_WARM_UP_TIMES &&
            !Child.isQuiet(usage.compilerMs, Math.max(1, usage.seconds())));
        return usage;
    }

    @Override
    public void close()
    {
        children.values().forEach(Child::close);
    }
}
