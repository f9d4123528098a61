// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.IntervalLog;
import org.odradek.benchmarks.report.IntervalLog.Interval;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.LiveScenario.Case;
import org.odradek.benchmarks.rig.LiveScenario.Plan;
import org.odradek.benchmarks.rig.LiveScenario.Timing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A run on a live topic: case by case a producer on its schedule, and the clients in turns on it, never two at a time.
 * Their processes stay for all cases, so that a JVM is warm when its next turn comes.
 */
public final class LiveRun
{
    /** Percentiles of fewer records mean nothing. */
    private static final int LEAST_RECORDS_OF_LOG = 100;

    private final Scenario.Results results = new Scenario.Results();
    private final Map<String, Child> clients = new LinkedHashMap<>();
    private final Set<String> warm = new HashSet<>();
    private final Plan plan;
    private final Cluster cluster;
    private final Path json;
    private final Consumer<String> progress;
    private Settings settings;
    private int round;

    /** Makes rows from the turns of a case. */
    public interface RowMaker
    {
        Rows of(Rows rows, Map<String, Usage[]> turns);
    }

    private interface Action
    {
        void run() throws InterruptedException;
    }

    /** @param json the report's file, beside which others are written, or null for none of them. */
    public LiveRun(final Plan plan, final Cluster cluster, final Path json, final Consumer<String> progress)
    {
        this.plan = plan;
        this.cluster = cluster;
        this.json = json;
        this.progress = progress;
    }

    public Scenario.Results run() throws InterruptedException, IOException
    {
        try (CaseTopic topic = new CaseTopic(cluster, plan.scenario(), plan.partitions()))
        {
            settings = plan.shared().with("topic", topic.name(),
                "partitions", IntStream.range(0, plan.partitions()).toArray()).with(cluster.connection());
            startClients();
            if (plan.shared().has(LiveScenario.PRACTICE_SECONDS))
            {
                whileProducing(new Case("practice", LiveScenario.PRACTICE_PER_SECOND, 0), this::practise);
            }
            for (final Case each : plan.cases())
            {
                measure(each);
            }
        }
        finally
        {
            clients.values().forEach(Child::close);
        }
        return results;
    }

    /** All start before the first turn, so that no turn waits for a JVM. */
    private void startClients()
    {
        for (final Arm arm : plan.arms())
        {
            try
            {
                clients.put(arm.name(), arm.start(settings, Child.Jvm.STANDARD));
            }
            catch (final Arm.MissingException ex)
            {
                results.notRun().add(new NotRun(plan.scenario(), NotRun.EVERY, arm.name(), ex.getMessage()));
            }
        }
        clients.values().forEach(Child::awaitStart);
    }

    /** @return what the producer did meanwhile; null if no records come in. */
    private Usage whileProducing(final Case each, final Action action) throws InterruptedException
    {
        if (each.recordsPerSecond() == 0)
        {
            action.run();
            return null;
        }
        try (Child producer = Child.producer(settings.with("bootstrap", cluster.bootstrap(),
            "lingerMs", each.lingerMs(), "recordsPerSecond", each.recordsPerSecond()).with(each.ofRun())))
        {
            producer.awaitStart();
            producer.run();
            TimeUnit.SECONDS.sleep(settings.number(LiveScenario.PRODUCER_WARM_UP_SECONDS, 0));
            producer.measure();
            action.run();
            final Usage produced = producer.stop();
            progress.accept(String.format(Locale.ROOT, "%s: the producer sent %,.0f records/s, at worst %.1f ms late",
                each.name(), produced.perSecond(produced.records), produced.latencyUs(100) / 1e3));
            return produced;
        }
    }

    private void practise() throws InterruptedException
    {
        final int seconds = settings.number(LiveScenario.PRACTICE_SECONDS);
        for (final Map.Entry<String, Child> client : clients.entrySet())
        {
            progress.accept(client.getKey() + " practises for " + seconds + " s");
            client.getValue().ask(Child.PRACTISE);
            Child.warmUp(List.of(client.getValue()), seconds);
            client.getValue().measure();
            client.getValue().stop();
            warm.add(client.getKey());
        }
    }

    private void measure(final Case each) throws InterruptedException, IOException
    {
        final Map<String, Usage[]> turns = new LinkedHashMap<>();
        final Usage produced = whileProducing(each, () -> takeTurns(each, turns));
        final Rows rows = plan.rowMaker().of(new Rows(plan.scenario(), each.name()), turns);
        if (produced != null && !settings.has(LiveScenario.PRACTICE_SECONDS))
        {
            rows.add(Map.of("producer", new Usage[]{produced}), Metric.PRODUCER);
        }
        results.rows().addAll(rows.list());
        if (json != null)
        {
            writeLogs(each.name(), turns);
        }
    }

    private void takeTurns(final Case each, final Map<String, Usage[]> turns) throws InterruptedException
    {
        final Timing timing = plan.timing();
        final List<String> names = clients.keySet().stream().filter(each::isFor).toList();
        names.forEach((name) -> turns.put(name, new Usage[timing.rounds()]));
        for (int i = 0; i < timing.rounds(); i++, round++)
        {
            for (final int index : TurnOrder.ofRound(round, names.size()))
            {
                final String name = names.get(index);
                progress.accept(name + " warms up, then " + timing.seconds() + " s are measured");
                final Usage usage = turn(clients.get(name), each,
                    warm.add(name) ? timing.firstWarmUpSeconds() : timing.warmUpSeconds(), timing.seconds());
                turns.get(name)[i] = usage;
                progress.accept(String.format(Locale.ROOT, "%s, round %d of %d: %-15s %,.0f records/s, CPU of the " +
                    "polling thread %.2f %%, of the process %.2f %%, %,d bytes allocated, warm after %d s, then %d " +
                    "ms of compilers", each.name(), i + 1, timing.rounds(), name, usage.perSecond(usage.records),
                    usage.cpuPercent(usage.threadCpuNs), usage.cpuPercent(usage.processCpuNs), usage.allocatedBytes,
                    usage.warmUpSeconds, usage.compilerMs));
            }
        }
        if (json != null && each.equals(plan.cases().get(0)))
        {
            sample(each);
        }
    }

    private Usage turn(final Child client, final Case each, final int leastWarmUpSeconds, final int seconds)
        throws InterruptedException
    {
        client.run((Object[])each.ofRun().toArguments());
        final int warmUpSeconds = Child.warmUp(List.of(client), leastWarmUpSeconds);
        client.measure();
        final long brokerCpuNs = cluster.brokerCpuNs();
        TimeUnit.SECONDS.sleep(seconds);
        final long brokerCpuNsSince = cluster.brokerCpuNsSince(brokerCpuNs);
        final Usage usage = client.stop();
        usage.brokerCpuNs = brokerCpuNsSince;
        usage.warmUpSeconds = warmUpSeconds;
        return usage;
    }

    /** A histogram log for each client that got records, an interval for each turn. */
    private void writeLogs(final String caseName, final Map<String, Usage[]> turns) throws IOException
    {
        for (final Map.Entry<String, Usage[]> entry : turns.entrySet())
        {
            final Usage first = entry.getValue()[0];
            if (first.hasLatency() && first.records >= LEAST_RECORDS_OF_LOG)
            {
                results.attachments().add(writeLog(json, plan.scenario(), caseName, entry.getKey(), entry.getValue()));
            }
        }
    }

    /** Writes a histogram log beside this file, with an interval for each turn. */
    static Attachment writeLog(final Path json, final String scenario, final String caseName, final String client,
        final Usage... turns) throws IOException
    {
        return IntervalLog.write(json, new Attachment(caseName + ", " + client, Attachment.HLOG,
            Attachment.fileName(scenario, caseName, client, "hlog")), Arrays.stream(turns)
            .map((usage) -> new Interval(null, usage.latencyHistogram(), usage.seconds())).toList());
    }

    /** Where sampling does not work the graph is missing: the figures are valid without it. */
    private void sample(final Case each) throws InterruptedException
    {
        for (final Arm arm : plan.arms().stream()
            .filter((arm) -> plan.flameGraphs().clients().contains(arm.name())).toList())
        {
            for (final String event : List.of(ClientTask.CPU, ClientTask.ALLOCATIONS))
            {
                final String title = each.name() + ", " + arm.name() + ", " + event;
                final String name = Attachment.fileName(plan.scenario(), each.name(), arm.name() + "-" + event, "html");
                progress.accept(title + ": sampling for a flame graph");
                try (Child client = arm.start(settings.with("profile", event, "profileFile",
                    json.toAbsolutePath().resolveSibling(name)), Child.Jvm.STANDARD
                    // Without it a sample is told only at the next safepoint.
                    .with(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"))))
                {
                    client.awaitStart();
                    turn(client, each, plan.flameGraphs().warmUpSeconds(), plan.flameGraphs().seconds());
                    results.attachments().add(new Attachment(title, Attachment.FLAME_GRAPH, name));
                }
                catch (final IllegalStateException ex)
                {
                    progress.accept(title + ": no flame graph: " + ex.getMessage());
                }
            }
        }
    }
}
