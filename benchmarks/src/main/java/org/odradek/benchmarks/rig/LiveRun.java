// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

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
import org.odradek.benchmarks.report.IntervalLog;
import org.odradek.benchmarks.report.IntervalLog.Interval;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.LivePlan.Case;
import org.odradek.benchmarks.rig.LivePlan.Preparation;
import org.odradek.benchmarks.rig.LivePlan.Timing;

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
    private final LivePlan plan;
    private final Cluster cluster;
    private final Path json;
    private final Consumer<String> progress;
    private int round;

    /** Makes rows from the turns of a case. */
    public interface RowMaker
    {
        Rows of(Rows rows, Map<String, Usage[]> turns);
    }

    private interface Turns
    {
        Map<String, Usage[]> take() throws InterruptedException, IOException;
    }

    /**
     * @param json     the report's file, beside which others are written, or null for none of them.
     * @param progress gets a line for each turn.
     */
    public LiveRun(final LivePlan plan, final Cluster cluster, final Path json, final Consumer<String> progress)
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
            final Settings place = Settings.of(
                "bootstrap", cluster.bootstrap(), "topic", topic.name(),
                "partitions", IntStream.range(0, plan.partitions()).toArray());
            startClients(clientSettings(place));
            if (plan.preparation().hasPractice())
            {
                produce(new Case("practice", Preparation.PRACTICE_PER_SECOND, 0), place, this::practise);
            }
            for (final Case each : plan.cases())
            {
                final Turns turns = () -> turns(each, place);
                addRows(each, each.recordsPerSecond() == 0 ? turns.take() : produce(each, place, turns));
            }
        }
        finally
        {
            clients.values().forEach(Child::close);
        }
        return results;
    }

    private Settings clientSettings(final Settings place)
    {
        return plan.shared().with(place).with(cluster.connection());
    }

    /** All start before the first turn, so that no turn waits for a JVM. */
    private void startClients(final Settings settings)
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

    private Map<String, Usage[]> produce(final Case each, final Settings place, final Turns turns)
        throws InterruptedException, IOException
    {
        try (Child producer = Child.producer(place.with("valueLength", plan.shared().number("valueLength"), "acks",
            plan.shared().text("acks"), "lingerMs", each.lingerMs(), "recordsPerSecond", each.recordsPerSecond())
            .with(each.ofRun())))
        {
            producer.awaitStart();
            producer.run();
            TimeUnit.SECONDS.sleep(plan.preparation().producerWarmUpSeconds());
            producer.measure();
            final Map<String, Usage[]> taken = turns.take();
            final Usage produced = producer.stop();
            progress.accept(String.format(Locale.ROOT, "%s: the producer sent %,.0f records/s, at worst %.1f ms late",
                each.name(), produced.perSecond(produced.records), produced.latencyUs(100) / 1e3));
            taken.put("producer", new Usage[]{produced});
            return taken;
        }
    }

    private Map<String, Usage[]> turns(final Case each, final Settings place) throws InterruptedException, IOException
    {
        final Timing timing = each.equals(plan.cases().get(0)) ? plan.firstTiming() : plan.timing();
        final Map<String, Usage[]> turns = new LinkedHashMap<>();
        final List<String> names = plan.arms().stream()
            .filter(arm -> clients.containsKey(arm.name()) && each.isFor(arm)).map(Arm::name).toList();
        names.forEach(name -> turns.put(name, new Usage[timing.rounds()]));
        for (int i = 0; i < timing.rounds(); i++, round++)
        {
            for (final int index : TurnOrder.ofRound(round, names.size()))
            {
                final String name = names.get(index);
                final Usage usage = turn(name, each, timing);
                turns.get(name)[i] = usage;
                progress.accept(String.format(Locale.ROOT, "%s, round %d of %d: %-15s %,.0f records/s, CPU of the " +
                    "polling thread %.2f %%, of the process %.2f %%, %,d bytes allocated, warm after %d s, then %d " +
                    "ms of compilers", each.name(), i + 1, timing.rounds(), name, usage.perSecond(usage.records),
                    usage.cpuPercent(usage.threadCpuNs), usage.cpuPercent(usage.processCpuNs), usage.allocatedBytes,
                    usage.warmUpSeconds, usage.compilerMs));
            }
        }
        if (json != null)
        {
            writeLogs(each.name(), turns);
            if (each.equals(plan.cases().get(0)))
            {
                sample(each.name(), clientSettings(place));
            }
        }
        return turns;
    }

    private Map<String, Usage[]> practise() throws InterruptedException
    {
        for (final Map.Entry<String, Child> client : clients.entrySet())
        {
            progress.accept(client.getKey() + " practises for " + plan.preparation().practiceSeconds() + " s");
            client.getValue().ask(Child.PRACTISE);
            Child.warmUp(List.of(client.getValue()), plan.preparation().practiceSeconds());
            client.getValue().measure();
            client.getValue().stop();
            warm.add(client.getKey());
        }
        return new LinkedHashMap<>();
    }

    private Usage turn(final String name, final Case each, final Timing timing) throws InterruptedException
    {
        final Child client = clients.get(name);
        progress.accept(name + " warms up, then " + timing.seconds() + " s are measured");
        client.run((Object[])each.ofRun().toArguments());
        final int warmUpSeconds = Child.warmUp(List.of(client),
            warm.add(name) ? timing.firstWarmUpSeconds() : timing.warmUpSeconds());
        client.measure();
        final long brokerCpuNs = cluster.brokerCpuNs();
        TimeUnit.SECONDS.sleep(timing.seconds());
        final long brokerCpuNsSince = cluster.brokerCpuNsSince(brokerCpuNs);
        final Usage usage = client.stop();
        usage.brokerCpuNs = brokerCpuNsSince;
        usage.warmUpSeconds = warmUpSeconds;
        return usage;
    }

    private void addRows(final Case each, final Map<String, Usage[]> turns)
    {
        final Usage[] produced = turns.remove("producer");
        final Rows rows = plan.rowMaker().of(new Rows(plan.scenario(), each.name()), turns);
        if (produced != null)
        {
            rows.add(Map.of("producer", produced), plan.producerMetrics().toArray(new Metric[0]));
        }
        results.rows().addAll(rows.list());
    }

    /** A histogram log for each client that got records, an interval for each turn. */
    private void writeLogs(final String caseName, final Map<String, Usage[]> turns) throws IOException
    {
        for (final Map.Entry<String, Usage[]> entry : turns.entrySet())
        {
            final Usage first = entry.getValue()[0];
            if (first.hasLatency() && first.records >= LEAST_RECORDS_OF_LOG)
            {
                results.attachments().add(IntervalLog.write(json, new Attachment(caseName + ", " + entry.getKey(),
                    Attachment.HLOG, Attachment.fileName(plan.scenario(), caseName, entry.getKey(), "hlog")),
                    Arrays.stream(entry.getValue())
                    .map(usage -> new Interval(null, usage.latencyHistogram(), usage.seconds())).toList()));
            }
        }
    }

    /** Where sampling does not work the graph is missing: the figures are valid without it. */
    private void sample(final String caseName, final Settings settings) throws InterruptedException
    {
        for (final Arm arm : plan.flameGraphs().arms())
        {
            for (final String event : List.of(ClientTask.CPU, ClientTask.ALLOCATIONS))
            {
                final String title = caseName + ", " + arm.name() + ", " + event;
                final String name = Attachment.fileName(plan.scenario(), caseName, arm.name() + "-" + event, "html");
                progress.accept(title + ": sampling for a flame graph");
                try (Child client = arm.start(settings.with("profile", event, "profileFile",
                    json.toAbsolutePath().resolveSibling(name)), Child.Jvm.STANDARD
                    // Without it a sample is told only at the next safepoint.
                    .with(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"))))
                {
                    client.awaitStart();
                    client.run();
                    TimeUnit.SECONDS.sleep(plan.flameGraphs().warmUpSeconds());
                    client.measure();
                    TimeUnit.SECONDS.sleep(plan.flameGraphs().seconds());
                    client.stop();
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
