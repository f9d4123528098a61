// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.clients.Member;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.TopicClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** {@code bench groups}: how long do partitions stand still when a member joins, leaves or is killed? */
@Command(name = "groups",
    description = "Lets members of a group join, leave and be killed, and measures until every partition delivers.")
@Facts(quickSeconds = 243, seconds = 1_782, columns = {"joinMs", "leaveMs", "killMs", "repeatedAfterJoin",
    "repeatedAfterLeave", "repeatedAfterKill", "processCpuPercent", "processCpuPercentToStockNew"})
public final class Groups extends Scenario.OnCluster
{
    private static final int PARTITIONS = 8;
    private static final int IDLE_PARTITIONS = 100;
    private static final int RECORD_INTERVAL_MS = 10;
    private static final Settings PRODUCER = Settings.of("partitions", IntStream.range(0, PARTITIONS).toArray(),
        "recordsPerSecond", PARTITIONS * 1_000 / RECORD_INTERVAL_MS, "valueLength", ThreeLongs.SMALLEST_VALUE,
        "lingerMs", 0, "acks", 1);
    private static final List<Arm> ARMS = List.of(Member.ODRADEK, Member.ODRADEK_1S, Member.ODRADEK_CLASSIC,
        Member.STOCK, Member.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS = List.of(Member.ODRADEK, Member.STOCK_NEW, Arms.LIBRDKAFKA);

    @Range
    @Option(names = "--rounds", paramLabel = "N",
        description = "In each a member joins and leaves, and one joins and is killed (default: 5, with --quick 1).")
    private Integer rounds;
    @Range(least = 10, most = 60)
    @Option(names = "--session", paramLabel = "SECONDS", defaultValue = "15",
        description = "Session timeout, after which a killed member is gone (default: ${DEFAULT-VALUE}; Kafka: 45).")
    private int sessionSeconds;

    private int rounds()
    {
        return rounds != null ? rounds : isQuick() ? 1 : 5;
    }

    private List<Arm> arms()
    {
        return onChosenJvm(isQuick() ? QUICK_ARMS : ARMS);
    }

    @Override
    protected List<BrokerSettings> brokers()
    {
        final String sessionMs = String.valueOf(sessionSeconds * 1_000);
        return List.of(new BrokerSettings().set("group.consumer.min.session.timeout.ms", sessionMs)
            .set("group.consumer.session.timeout.ms", sessionMs));
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException
    {
        final Results results = new Results();
        final Rows moving = new Rows(name(), PARTITIONS + " partitions");
        final Rows idle = new Rows(name(), "idle, " + IDLE_PARTITIONS + " partitions");
        for (final Arm arm : arms())
        {
            say("measuring " + arm.name());
            try
            {
                new Members(cluster, arm, Arms.LIVE.with("sessionMs", sessionSeconds * 1_000)).run(rounds())
                    .forEach((metric, figures) -> (metric == Metric.PROCESS_CPU ? idle : moving)
                    .add(arm.name(), metric, figures.stream().mapToDouble(Double::doubleValue).toArray()));
            }
            catch (final Arm.MissingException | IllegalStateException ex)
            {
                if (arm.name().startsWith(Member.ODRADEK.name()))
                {
                    throw ex;
                }
                final String reason = ex.getMessage().lines().findFirst().orElse("");
                say("without " + arm.name() + ": " + reason);
                results.notRun().add(new NotRun(name(), NotRun.EVERY, arm.name(), reason));
            }
        }
        final List<String> ours =
            List.of(Member.ODRADEK.name(), Member.ODRADEK_1S.name(), Member.ODRADEK_CLASSIC.name());
        final Rival[] rivals = {Rival.STOCK, Rival.STOCK_NEW, Rival.LIBRDKAFKA};
        results.rows().addAll(moving.addRatios(ours, List.of(Metric.JOIN, Metric.LEAVE, Metric.KILL), rivals).list());
        results.rows().addAll(idle.addRatios(ours, List.of(Metric.PROCESS_CPU), rivals).list());
        return results;
    }

    @Override
    protected Map<String, Object> settings()
    {
        return Environment.ordered(
            "broker", Cluster.describe(bootstrap()),
            "clients", arms().stream().map(Arm::name).toList(),
            "rounds", rounds(), "sessionSeconds", sessionSeconds, "recordIntervalMs", RECORD_INTERVAL_MS,
            "clientJvmFlags", Child.Jvm.STANDARD.flags());
    }

    /**
     * The members of one client. One reads all partitions of a topic, each of which gets a record every 10 ms. In each
     * round a second one joins, leaves, joins, and is killed. Meanwhile another one, in a group of its own, has 100
     * partitions in which nothing happens.
     */
    static final class Members
    {
        /** More than the 5 s between two commits. */
        private static final int SETTLE_MS = 6_000;
        /** Between two heartbeats, of the brokers. */
        private static final int INTERVAL_MS = 5_000;
        private static final int AWAIT_TIMEOUT_MS = 150_000;

        private final Map<Metric, List<Double>> figures = new EnumMap<>(Metric.class);
        private final Cluster cluster;
        private final Arm arm;
        private final Settings settings;
        /** By offset and partition. */
        private final BitSet delivered = new BitSet();
        private volatile Watch watch;
        /** Volatile: written by the threads that read the members' lines, under the lock of this. */
        private volatile long repeats;

        /** For each partition, the time from the start until the member delivered its first record. */
        private record Watch(Child member, long startNs, Map<Integer, Long> firstNs)
        {
        }

        Members(final Cluster cluster, final Arm arm, final Settings settings)
        {
            this.cluster = cluster;
            this.arm = arm;
            this.settings = settings.with(cluster.connection());
        }

        /**
         * @return for each metric a figure for each round, or two where there are two such changes in a round.
         * @throws Arm.MissingException if this machine has no such client.
         */
        Map<Metric, List<Double>> run(final int rounds) throws InterruptedException
        {
            try (CaseTopic idleTopic = new CaseTopic(cluster, "groups-idle", IDLE_PARTITIONS);
                CaseTopic topic = new CaseTopic(cluster, "groups", PARTITIONS);
                TopicClient client = new TopicClient(cluster.bootstrap());
                Child idle = member(idleTopic, IDLE_PARTITIONS);
                Child stays = member(topic, PARTITIONS);
                Child producer = Child.producer(PRODUCER.with("bootstrap", cluster.bootstrap(), "topic", topic.name())))
            {
                IntStream.range(0, IDLE_PARTITIONS).forEach(
                    (partition) -> client.produce(idleTopic.name(), partition, List.of(new byte[1])));
                join(idle, IDLE_PARTITIONS);
                producer.awaitStart();
                producer.run();
                join(stays, PARTITIONS);
                TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
                for (int round = 0; round < rounds; round++)
                {
                    final long startNs = System.nanoTime();
                    final long idleCpuNs = idle.cpuNs();
                    // When they come between two heartbeats decides how soon the others learn of a leave or a kill.
                    final int phaseMs = INTERVAL_MS * round / rounds;
                    round(topic, phaseMs, Metric.LEAVE, Metric.REPEATED_AFTER_LEAVE, stays,
                        (moves) -> moves.ask(Member.LEAVE));
                    round(topic, SETTLE_MS + phaseMs, Metric.KILL, Metric.REPEATED_AFTER_KILL, stays, Child::kill);
                    add(Metric.PROCESS_CPU, 100.0 * (idle.cpuNs() - idleCpuNs) / (System.nanoTime() - startNs));
                }
            }
            return figures;
        }

        private void round(final CaseTopic topic, final int pauseMs, final Metric time, final Metric repeated,
            final Child stays, final Consumer<Child> end) throws InterruptedException
        {
            try (Child moves = member(topic, PARTITIONS))
            {
                measure(Metric.JOIN, Metric.REPEATED_AFTER_JOIN, () -> join(moves, PARTITIONS / 2).getMin());
                TimeUnit.MILLISECONDS.sleep(pauseMs);
                measure(time, repeated, () -> watch(stays, PARTITIONS, () -> end.accept(moves)).getMax());
            }
        }

        /**
         * @param change returns the time until the member that joins delivers its first record, which ends when it has
         *               its share, or until the member that stays delivers every partition.
         */
        private void measure(final Metric time, final Metric repeated, final LongSupplier change)
            throws InterruptedException
        {
            final long before = repeats;
            add(time, change.getAsLong() / 1e6);
            TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
            add(repeated, repeats - before);
        }

        private void add(final Metric metric, final double figure)
        {
            figures.computeIfAbsent(metric, (key) -> new ArrayList<>()).add(figure);
        }

        private Child member(final CaseTopic topic, final int partitions)
        {
            final Child member = arm.start(settings.with("topic", topic.name(), "group", topic.name(),
                "partitions", new int[partitions]), Child.Jvm.STANDARD);
            member.onRemark((line) -> onLine(member, partitions, line.split(" "))).awaitStart();
            return member;
        }

        private synchronized void onLine(final Child member, final int partitions, final String... columns)
        {
            final int partition = Integer.parseInt(columns[0]);
            final long ns = Long.parseLong(columns[2]);
            if (partitions == PARTITIONS)
            {
                final int index = Integer.parseInt(columns[1]) * PARTITIONS + partition;
                repeats += delivered.get(index) ? 1 : 0;
                delivered.set(index);
            }
            if (member == watch.member && ns - watch.startNs > 0)
            {
                watch.firstNs.putIfAbsent(partition, ns - watch.startNs);
            }
        }

        private LongSummaryStatistics join(final Child member, final int share)
        {
            return watch(member, share, () -> member.ask(Member.JOIN));
        }

        /** Lets something change until a member delivers so many partitions: nanoseconds from then to each. */
        private LongSummaryStatistics watch(final Child member, final int partitions, final Runnable change)
        {
            watch = new Watch(member, System.nanoTime(), new ConcurrentHashMap<>());
            change.run();
            Await.until(arm.name() + " to deliver " + partitions + " partitions", AWAIT_TIMEOUT_MS, () ->
            {
                member.checkAlive();
                return watch.firstNs.size() >= partitions;
            });
            return watch.firstNs.values().stream().mapToLong(Long::longValue).summaryStatistics();
        }
    }
}
