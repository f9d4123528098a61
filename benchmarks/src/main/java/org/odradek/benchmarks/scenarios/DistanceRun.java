// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.agrona.CloseHelper;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.link.Link;
import org.odradek.benchmarks.link.LinkConditions;
import org.odradek.benchmarks.link.StreamSender;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.ClientTask;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Prefill;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.scenarios.DistancePlan.BrokerKind;
import org.odradek.benchmarks.scenarios.DistancePlan.Case;
import org.odradek.benchmarks.scenarios.DistancePlan.LogKind;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Starts a broker for each setting of it, fills a log for each kind of log, starts every arm on it, and lets the arms
 * take turns over a link that is changed from case to case. A turn has a time, not a number of records: the fastest
 * client reads a hundred times as much as the slowest. A rival that cannot run is left out and named; ours must run.
 */
final class DistanceRun
{
    /** Kafka's defaults, which brokers of tests do not have. */
    private static final Map<String, String> THREADS = Map.of("num.network.threads", "3", "num.io.threads", "8");
    private static final int MOST_WARM_UP_TIMES = 5;
    private static final Metric[] STEADY = {Metric.MEGABYTES_PER_SECOND, Metric.RECORDS_PER_SECOND,
        Metric.THREAD_CPU_PER_RECORD, Metric.PROCESS_CPU_PER_RECORD, Metric.ALLOCATED_PER_RECORD,
        Metric.PROCESS_ALLOCATED_PER_RECORD, Metric.COMPILER};

    private final Results results = new Results();
    private final DistancePlan plan;
    private final Link usual;
    private final Link proxy;
    private final Consumer<String> progress;
    /** The link of the present cases. */
    private Link link;

    /**
     * @param usual the link of all cases without a proxy.
     * @param proxy the link of the others.
     */
    DistanceRun(final DistancePlan plan, final Link usual, final Link proxy, final Consumer<String> progress)
    {
        this.plan = plan;
        this.usual = usual;
        this.proxy = proxy;
        this.progress = progress;
    }

    Results run() throws IOException
    {
        final Map<Boolean, List<Case>> canRun = plan.cases().stream()
            .collect(Collectors.partitioningBy((each) -> usual.isTcp() || !each.needsTcp()));
        canRun.get(false).forEach((each) -> results.notRun().add(new NotRun(
            plan.scenario(), each.name(), NotRun.EVERY, "it needs TCP, and the link is " + usual.describe())));
        for (final List<Case> onLink : grouped(canRun.get(true), Case::isProxied))
        {
            link = onLink.get(0).isProxied() ? proxy : usual;
            for (final List<Case> cases : grouped(onLink, Case::broker))
            {
                runOnBroker(cases);
            }
        }
        return results;
    }

    private static <K> List<List<Case>> grouped(final List<Case> cases, final Function<Case, K> key)
    {
        return List.copyOf(
            cases.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList())).values());
    }

    private void runOnBroker(final List<Case> cases) throws IOException
    {
        final BrokerKind kind = cases.get(0).broker();
        final BrokerSettings settings = link.at(new BrokerSettings()).set(Scenario.OnCluster.BROKER_SETTINGS)
            .set(THREADS).set("socket.send.buffer.bytes", Integer.toString(kind.sendBuffer()))
            .jvmFlags(BrokerSettings.COMPILE_FULLY);
        progress.accept("starting a broker" + (kind.isTls() ? " with TLS" : ""));
        try (BrokerCluster brokers = BrokerCluster.start(List.of(kind.isTls() ? settings.secured() : settings));
            StreamSender sender = new StreamSender(link.host(), kind.sendBuffer()))
        {
            final Cluster cluster = kind.isTls() ?
                Cluster.secured(brokers.broker(1), SecureListener.SSL) : Cluster.of(brokers);
            final Settings near = cluster.connection();
            final Settings far = link.connection(cluster, brokers.broker(1));
            final Settings nearStreams = Settings.of("bootstrap", link.host() + ":" + sender.port());
            final Settings farStreams = link.connection(sender.port());
            for (final List<Case> onLog : grouped(cases, Case::log))
            {
                final LogKind log = onLog.get(0).log();
                try (CaseTopic topic = new CaseTopic(cluster, plan.scenario(), log.partitions()))
                {
                    final Settings ofLog = DistancePlan.TUNED.with(
                        "topic", topic.name(), "records", plan.records(onLog.get(0)),
                        "partitions", IntStream.range(0, log.partitions()).toArray(),
                        "partitionCount", log.partitions(), "valueLength", log.valueLength(), "codec", "none");
                    Prefill.fill(log.name(), ofLog.with("bootstrap", cluster.bootstrap()), progress);
                    for (final List<Case> group : grouped(onLog, Case::isFar))
                    {
                        final boolean isFar = group.get(0).isFar();
                        new Group(group, cluster, ofLog.with(isFar ? far : near),
                            ofLog.with(isFar ? farStreams : nearStreams)).run();
                    }
                }
            }
        }
    }

    /** Returns the rows of a case, from the ramp and the rest of each turn. */
    static Rows rows(final Rows rows, final Map<String, List<Turn>> turns)
    {
        final List<Metric> compared = List.of(
            Metric.RECORDS_PER_SECOND, Metric.WITH_RAMP_RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD);
        return rows.add(usages(turns, Turn::steady), STEADY)
            .add(usages(turns, Turn::ramp), Metric.RAMP_MEGABYTES_PER_SECOND)
            .add(usages(turns, Turn::whole), Metric.WITH_RAMP_RECORDS_PER_SECOND, Metric.BROKER_CPU)
            .addRatios(List.of(Arms.ODRADEK_DEFAULTS.name(), Arms.ODRADEK_EIGHT.name(),
                Distance.ODRADEK_TUNED.name()), compared,
                Rival.STOCK_TUNED, Rival.LIBRDKAFKA, Rival.STOCK_EIGHT, Rival.STREAM, Rival.STREAMS_EIGHT)
            .addRatio(Arms.ODRADEK_DEFAULTS.name(), Metric.RAMP_MEGABYTES_PER_SECOND, Rival.OWN_EIGHT);
    }

    private static Map<String, Usage[]> usages(
        final Map<String, List<Turn>> turns, final Function<Turn, Usage> part)
    {
        final Map<String, Usage[]> usages = new LinkedHashMap<>();
        turns.forEach((client, list) -> usages.put(client, list.stream().map(part).toArray(Usage[]::new)));
        return usages;
    }

    /** What a client used in the ramp and after it, and the broker in both. */
    record Turn(Usage ramp, Usage steady, long brokerCpuNs)
    {
        Usage whole()
        {
            final Usage whole = new Usage();
            whole.records = ramp.records + steady.records;
            whole.bytes = ramp.bytes + steady.bytes;
            whole.wallNs = ramp.wallNs + steady.wallNs;
            whole.brokerCpuNs = brokerCpuNs;
            return whole;
        }
    }

    /** Cases with one log and one place of the clients, which have the same processes. */
    private final class Group
    {
        private final Map<String, Child> children = new LinkedHashMap<>();
        private final List<Case> cases;
        private final Cluster cluster;
        private final Settings ofClients;
        private final Settings ofStreams;

        private Group(
            final List<Case> cases, final Cluster cluster, final Settings ofClients, final Settings ofStreams)
        {
            this.cases = cases;
            this.cluster = cluster;
            this.ofClients = ofClients;
            this.ofStreams = ofStreams;
        }

        private void run()
        {
            try
            {
                plan.arms().stream().filter(this::isReader).forEach((arm) -> attempt(arm.name(), () ->
                    children.put(arm.name(), arm.start(isStream(arm) ? ofStreams : ofClients, DistancePlan.JVM))));
                link.set(LinkConditions.NONE);
                List.copyOf(children.keySet()).forEach((client) -> attempt(client, () -> warmUp(client)));
                cases.forEach(this::run);
            }
            finally
            {
                children.values().forEach(Child::close);
            }
        }

        private boolean isReader(final Arm arm)
        {
            return arm.settings().has(DistancePlan.PROXIED_ONLY) ? cases.get(0).isProxied() :
                isStream(arm) ? !cases.get(0).broker().isTls() :
                arm.settings().number(ClientTask.THREADS, 1) <= cases.get(0).log().partitions();
        }

        private static boolean isStream(final Arm arm)
        {
            return arm.name().startsWith(Arms.STREAM.name());
        }

        /** A rival that fails takes no further turn here, and is named. */
        private void attempt(final String client, final Runnable work)
        {
            try
            {
                work.run();
            }
            catch (final Arm.MissingException | IllegalStateException ex)
            {
                if (client.equals(Arms.ODRADEK_DEFAULTS.name()))
                {
                    throw ex;
                }
                CloseHelper.close(children.remove(client));
                final String reason = ex.getMessage().lines().limit(2).collect(Collectors.joining(" "));
                progress.accept("without " + client + ": " + reason);
                cases.forEach((each) -> results.notRun().add(new NotRun(plan.scenario(), each.name(), client, reason)));
            }
        }

        /** Without the delay, so that the JVM has much to compile. */
        private void warmUp(final String client)
        {
            final Child child = children.get(client);
            child.awaitStart();
            final long leastNs = TimeUnit.MILLISECONDS.toNanos(plan.timing().warmUpMs());
            final long startNs = System.nanoTime();
            Usage usage;
            long elapsedNs;
            do
            {
                usage = child.read(plan.timing().warmUpMs()).get(0);
                elapsedNs = System.nanoTime() - startNs;
            }
            while (elapsedNs < leastNs || elapsedNs < MOST_WARM_UP_TIMES * leastNs &&
                !Child.isQuiet(usage.compilerMs, Math.max(1, usage.seconds())));
        }

        private void run(final Case each)
        {
            link.set(new LinkConditions(
                each.roundTripMs(), plan.megabitsPerSecond(), each.lossPercent(), each.congestion()));
            final Map<String, List<Turn>> turns = new LinkedHashMap<>();
            for (int round = 0; round < plan.rounds(); round++)
            {
                final List<String> clients = List.copyOf(children.keySet());
                final StringBuilder rates = new StringBuilder();
                Arrays.stream(TurnOrder.ofRound(round, clients.size())).mapToObj(clients::get)
                    .forEach((client) -> attempt(client, () ->
                    {
                        final Turn turn = turn(each, children.get(client));
                        turns.computeIfAbsent(client, (key) -> new ArrayList<>()).add(turn);
                        rates.append(String.format(Locale.ROOT, "  %s %.1f", client,
                            turn.steady().perSecond(turn.steady().bytes) / 1e6));
                    }));
                progress.accept(
                    each.name() + ": round " + (round + 1) + " of " + plan.rounds() + ", MB/s:" + rates);
            }
            turns.keySet().retainAll(children.keySet());
            results.rows().addAll(rows(new Rows(plan.scenario(), each.name()), turns).list());
        }

        private Turn turn(final Case each, final Child child)
        {
            final long brokerCpuNs = cluster.brokerCpuNs();
            final List<Usage> parts = child.read(plan.rampMs(each), plan.timing().steadyMs());
            if (parts.get(1).records == 0)
            {
                throw new IllegalStateException("it read nothing after the ramp: the log or the turn is too short");
            }
            return new Turn(parts.get(0), parts.get(1), cluster.brokerCpuNsSince(brokerCpuNs));
        }
    }
}
