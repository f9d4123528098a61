// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
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
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.Await;
import org.odradek.testkit.TopicClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench groups}: how long do the partitions of a group stand still when a member joins, leaves or is killed, how
 * many records are delivered again, and what does a member cost that has nothing to do?
 */
@Command(name = "groups",
    description = "Lets members of a group join, leave and be killed, and measures until every partition delivers.")
@Facts(quickSeconds = 243, seconds = 1_782, columns = {"joinMs", "leaveMs", "killMs", "repeatedAfterJoin",
    "repeatedAfterLeave", "repeatedAfterKill", "processCpuPercent", "processCpuPercentToStockNew"})
public final class Groups extends Scenario.OnCluster
{
    private static final int PARTITIONS = 8;
    private static final int IDLE_PARTITIONS = 100;
    private static final int RECORD_INTERVAL_MS = 10;
    private static final List<Arm> ARMS = List.of(Member.ODRADEK, Member.ODRADEK_1S, Member.ODRADEK_CLASSIC,
        Member.STOCK, Member.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS = List.of(Member.ODRADEK, Member.STOCK_NEW, Arms.LIBRDKAFKA);

    @Option(names = "--rounds", paramLabel = "N",
        description = "In each a member joins and leaves, and one joins and is killed (default: 5, with --quick 1).")
    private Integer rounds;
    @Option(names = "--session", paramLabel = "SECONDS", defaultValue = "15",
        description = "Session timeout, after which a killed member is gone (default: ${DEFAULT-VALUE}; Kafka: 45).")
    private int sessionSeconds;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.positive("--rounds", rounds).between("--session", 10, 60, sessionSeconds);
    }

    private int rounds()
    {
        return rounds != null ? rounds : isQuick() ? 1 : 5;
    }

    private List<Arm> arms()
    {
        return onChosenJvm(isQuick() ? QUICK_ARMS : ARMS);
    }

    private String sessionMs()
    {
        return String.valueOf(sessionSeconds * 1_000);
    }

    @Override
    protected Results runOnOwnCluster() throws Exception
    {
        return runOnOwnBroker(Map.of("group.consumer.min.session.timeout.ms", sessionMs(),
            "group.consumer.session.timeout.ms", sessionMs()), this::run);
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
            try (Members members = new Members(cluster, arm, Arms.LIVE.with("sessionMs", sessionMs())))
            {
                members.run(rounds()).forEach((metric, figures) -> (metric == PROCESS_CPU ? idle : moving)
                    .add(arm.name(), metric, figures.stream().mapToDouble(Double::doubleValue).toArray()));
            }
            catch (final Arm.MissingException | IllegalStateException ex)
            {
                if (arm.name().equals(Member.ODRADEK.name()))
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
        results.rows().addAll(
            moving.addRatios(ours, List.of(Metric.JOIN, Metric.LEAVE, Metric.KILL), rivals).list());
        results.rows().addAll(idle.addRatios(ours, List.of(PROCESS_CPU), rivals).list());
        return results;
    }

    @Override
    protected Map<String, Object> settings()
    {
        return Environment.ordered(
            "broker", Cluster.describe(bootstrap()),
            "clients", arms().stream().map(Arm::name).toList(),
            "rounds", rounds(),
            "sessionSeconds", sessionSeconds,
            "recordIntervalMs", RECORD_INTERVAL_MS,
            "clientJvmFlags", Child.Jvm.STANDARD.flags());
    }

    /**
     * The members of one client. One reads all partitions of a topic, each of which gets a record every 10 ms. In each
     * round a second one joins, leaves, joins, and is killed. Meanwhile another one, in a group of its own, has 100
     * partitions in which nothing happens.
     */
    static final class Members implements AutoCloseable
    {
        /** More than the 5 s between two commits. */
        private static final int SETTLE_MS = 6_000;
        /** Between two heartbeats, of the brokers. */
        private static final int INTERVAL_MS = 5_000;
        private static final int AWAIT_TIMEOUT_MS = 150_000;

        private final Map<Metric, List<Double>> figures = new EnumMap<>(Metric.class);
        private final Arm arm;
        private final Settings settings;
        private final CaseTopic topic;
        private final CaseTopic idleTopic;
        private final TopicClient client;
        private final Thread producing = new Thread(this::produce, "producer");
        private volatile boolean isProducing = true;

        // The threads that read the members' lines write these, under the lock of this.
        private final BitSet[] delivered = new BitSet[PARTITIONS];
        /** When the watched member delivered its first record of a partition. */
        private final Map<Integer, Long> firstNs = new ConcurrentHashMap<>();
        private Child watched;
        private long watchedFromNs;
        private volatile long repeats;

        /**
         * @param settings of all members.
         */
        Members(final Cluster cluster, final Arm arm, final Settings settings)
        {
            this.arm = arm;
            this.settings = settings.with(cluster.connection());
            topic = new CaseTopic(cluster, "groups", PARTITIONS);
            idleTopic = new CaseTopic(cluster, "groups-idle", IDLE_PARTITIONS);
            client = new TopicClient(cluster.bootstrap());
            Arrays.setAll(delivered, partition -> new BitSet());
            producing.setDaemon(true);
        }

        /**
         * @return for each metric a figure for each round, or two where there are two such changes in a round.
         * @throws Arm.MissingException if this machine has no such client.
         */
        Map<Metric, List<Double>> run(final int rounds) throws InterruptedException
        {
            try (Child idle = member(idleTopic, IDLE_PARTITIONS); Child stays = member(topic, PARTITIONS))
            {
                for (int partition = 0; partition < IDLE_PARTITIONS; partition++)
                {
                    client.produce(idleTopic.name(), partition, List.of(new byte[1]));
                }
                join(idle, IDLE_PARTITIONS);
                producing.start();
                join(stays, PARTITIONS);
                TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
                for (int round = 0; round < rounds; round++)
                {
                    final long startNs = System.nanoTime();
                    final long idleCpuNs = idle.cpuNs();
                    round(stays, INTERVAL_MS * round / rounds);
                    add(PROCESS_CPU, 100.0 * (idle.cpuNs() - idleCpuNs) / (System.nanoTime() - startNs));
                }
            }
            return figures;
        }

        /**
         * @param phaseMs how much later the leave and the kill come than the first in a round. When in the interval
         *                between heartbeats they come decides how soon the others learn of them, and how long a session
         *                lasts.
         */
        private void round(final Child stays, final int phaseMs) throws InterruptedException
        {
            try (Child moves = member(topic, PARTITIONS))
            {
                measure(Metric.JOIN, Metric.REPEATED_AFTER_JOIN, () -> join(moves, PARTITIONS / 2).getMin());
                TimeUnit.MILLISECONDS.sleep(phaseMs);
                measure(Metric.LEAVE, Metric.REPEATED_AFTER_LEAVE,
                    () -> watch(stays, PARTITIONS, () -> moves.ask(Member.LEAVE)).getMax());
            }
            try (Child moves = member(topic, PARTITIONS))
            {
                measure(Metric.JOIN, Metric.REPEATED_AFTER_JOIN, () -> join(moves, PARTITIONS / 2).getMin());
                TimeUnit.MILLISECONDS.sleep(SETTLE_MS + phaseMs);
                measure(Metric.KILL, Metric.REPEATED_AFTER_KILL,
                    () -> watch(stays, PARTITIONS, moves::kill).getMax());
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
            figures.computeIfAbsent(metric, key -> new ArrayList<>()).add(figure);
        }

        private Child member(final CaseTopic from, final int partitions)
        {
            final Child member = arm.start(settings.with("topic", from.name(), "group", from.name(),
                "partitions", new int[partitions]), Child.Jvm.STANDARD);
            member.onRemark(line -> onLine(member, from, line)).awaitStart();
            return member;
        }

        private synchronized void onLine(final Child member, final CaseTopic from, final String line)
        {
            final String[] columns = line.split(" ");
            final int partition = Integer.parseInt(columns[0]);
            final int offset = Integer.parseInt(columns[1]);
            final long ns = Long.parseLong(columns[2]);
            if (from == topic)
            {
                repeats += delivered[partition].get(offset) ? 1 : 0;
                delivered[partition].set(offset);
            }
            if (member == watched && ns - watchedFromNs > 0)
            {
                firstNs.putIfAbsent(partition, ns);
            }
        }

        private LongSummaryStatistics join(final Child member, final int share)
        {
            return watch(member, share, () -> member.ask(Member.JOIN));
        }

        /** Lets something change until a member delivers so many partitions: nanoseconds from then to each. */
        private LongSummaryStatistics watch(final Child member, final int partitions, final Runnable change)
        {
            final long fromNs;
            synchronized (this)
            {
                watched = member;
                watchedFromNs = System.nanoTime();
                fromNs = watchedFromNs;
                firstNs.clear();
            }
            change.run();
            Await.until(arm.name() + " to deliver " + partitions + " partitions", AWAIT_TIMEOUT_MS, () ->
            {
                member.checkAlive();
                return firstNs.size() >= partitions;
            });
            return firstNs.values().stream().mapToLong(ns -> ns - fromNs).summaryStatistics();
        }

        private void produce()
        {
            try (Producer<byte[], byte[]> sending = client.producer(0, "1"))
            {
                for (int i = 0; isProducing; i++)
                {
                    sending.send(new ProducerRecord<>(topic.name(), i % PARTITIONS, null, new byte[10]));
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RECORD_INTERVAL_MS) / PARTITIONS);
                }
            }
        }

        @Override
        public void close()
        {
            isProducing = false;
            try
            {
                producing.join();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
            idleTopic.close();
            topic.close();
            client.close();
        }
    }
}
