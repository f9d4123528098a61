// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.JOIN;
import static org.odradek.benchmarks.report.Metric.KILL;
import static org.odradek.benchmarks.report.Metric.LEAVE;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.REPEATED_AFTER_JOIN;
import static org.odradek.benchmarks.report.Metric.REPEATED_AFTER_KILL;
import static org.odradek.benchmarks.report.Metric.REPEATED_AFTER_LEAVE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.benchmarks.clients.Member;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.Await;
import org.odradek.testkit.TopicClient;

/**
 * The members of one client. One reads all partitions of a topic, each of which gets a record every 10 ms. In each
 * round a second one joins, leaves, joins, and is killed. Meanwhile another one, in a group of its own, has 100
 * partitions in which nothing happens.
 */
final class GroupsRun implements AutoCloseable
{
    static final int PARTITIONS = 8;
    static final int IDLE_PARTITIONS = 100;
    static final long RECORD_INTERVAL_NS = 10_000_000;
    /** More than the 5 s between two commits. */
    private static final long SETTLE_NS = 6_000_000_000L;
    /** Between two heartbeats, of the brokers. */
    private static final long INTERVAL_NS = 5_000_000_000L;
    private static final int AWAIT_TIMEOUT_MS = 150_000;
    private static final long NULL_NS = Long.MIN_VALUE;

    private final Map<Metric, List<Double>> figures = new EnumMap<>(Metric.class);
    private final Arm arm;
    private final Settings settings;
    private final CaseTopic topic;
    private final CaseTopic idleTopic;
    private final TopicClient client;
    private final Thread producing = new Thread(this::produce, "producer");
    private volatile boolean isProducing = true;

    // The threads that read the members' lines write these, under the lock of this.
    private final BitSet[] delivered = new BitSet[IDLE_PARTITIONS];
    private final long[] firstNs = new long[IDLE_PARTITIONS];
    private Child watched;
    private long watchedFromNs;
    private long repeats;

    /**
     * @param settings of all members.
     */
    GroupsRun(final Cluster cluster, final Arm arm, final Settings settings)
    {
        this.arm = arm;
        this.settings = settings.with(cluster.connection());
        topic = new CaseTopic(cluster, Groups.NAME, PARTITIONS);
        idleTopic = new CaseTopic(cluster, Groups.NAME + "-idle", IDLE_PARTITIONS);
        client = new TopicClient(cluster.bootstrap());
        Arrays.setAll(delivered, partition -> new BitSet());
        producing.setDaemon(true);
    }

    /**
     * @return for each metric a figure for each round, or two where there are two such changes in a round.
     * @throws Arm.MissingException if this machine has no such client.
     */
    Map<Metric, List<Double>> run(final int rounds)
    {
        try (Child idle = member(idleTopic, IDLE_PARTITIONS); Child stays = member(topic, PARTITIONS))
        {
            for (int partition = 0; partition < IDLE_PARTITIONS; partition++)
            {
                client.produce(idleTopic.name(), partition, List.of(new byte[1]));
            }
            join(idle, IDLE_PARTITIONS);
            forgetIdle();
            producing.start();
            join(stays, PARTITIONS);
            park(SETTLE_NS);
            for (int round = 0; round < rounds; round++)
            {
                final long startNs = System.nanoTime();
                final long idleCpuNs = idle.cpuNs();
                round(stays, INTERVAL_NS * round / rounds);
                add(PROCESS_CPU, 100.0 * (idle.cpuNs() - idleCpuNs) / (System.nanoTime() - startNs));
            }
        }
        return figures;
    }

    /**
     * @param phaseNs how much later the leave and the kill come than the first in a round. When in the interval between
     *                heartbeats they come decides how soon the others learn of them, and how long a session lasts.
     */
    private void round(final Child stays, final long phaseNs)
    {
        try (Child moves = member(topic, PARTITIONS))
        {
            measure(JOIN, REPEATED_AFTER_JOIN, () -> join(moves, PARTITIONS / 2));
            park(phaseNs);
            measure(LEAVE, REPEATED_AFTER_LEAVE, () -> handedOver(stays, () -> moves.ask(Member.LEAVE)));
        }
        try (Child moves = member(topic, PARTITIONS))
        {
            measure(JOIN, REPEATED_AFTER_JOIN, () -> join(moves, PARTITIONS / 2));
            park(SETTLE_NS + phaseNs);
            measure(KILL, REPEATED_AFTER_KILL, () -> handedOver(stays, moves::kill));
        }
    }

    private void measure(final Metric time, final Metric repeated, final LongSupplier change)
    {
        final long before = repeats();
        add(time, change.getAsLong() / 1e6);
        park(SETTLE_NS);
        add(repeated, repeats() - before);
    }

    private void add(final Metric metric, final double figure)
    {
        figures.computeIfAbsent(metric, key -> new ArrayList<>()).add(figure);
    }

    private Child member(final CaseTopic from, final int partitions)
    {
        final Child[] made = new Child[1];
        made[0] = arm.start(settings.with("topic", from.name(), "group", from.name(),
            "partitions", new int[partitions]), Child.Jvm.STANDARD);
        made[0].onRemark(line -> onLine(made[0], line)).awaitStart();
        return made[0];
    }

    private synchronized void onLine(final Child member, final String line)
    {
        final String[] columns = line.split(" ");
        final int partition = Integer.parseInt(columns[0]);
        final int offset = Integer.parseInt(columns[1]);
        final long ns = Long.parseLong(columns[2]);
        repeats += delivered[partition].get(offset) ? 1 : 0;
        delivered[partition].set(offset);
        if (member == watched && firstNs[partition] == NULL_NS && ns - watchedFromNs > 0)
        {
            firstNs[partition] = ns;
        }
    }

    private synchronized long repeats()
    {
        return repeats;
    }

    /** From here on what was delivered is that of the other topic. */
    private synchronized void forgetIdle()
    {
        Arrays.setAll(delivered, partition -> new BitSet());
    }

    /** Notes from now on when a member delivers the first record of each partition. */
    private synchronized long watch(final Child member)
    {
        watched = member;
        watchedFromNs = System.nanoTime();
        Arrays.fill(firstNs, NULL_NS);
        return watchedFromNs;
    }

    /** Returns the time until the member delivers its first record; ends when it has its share. */
    private long join(final Child member, final int share)
    {
        final long fromNs = watch(member);
        member.ask(Member.JOIN);
        await(member, share);
        return fold(fromNs, true);
    }

    /** Returns the time until the member that stays delivers every partition. */
    private long handedOver(final Child stays, final Runnable end)
    {
        final long fromNs = watch(stays);
        end.run();
        await(stays, PARTITIONS);
        return fold(fromNs, false);
    }

    private void await(final Child member, final int partitions)
    {
        Await.until(arm.name() + " to deliver " + partitions + " partitions", AWAIT_TIMEOUT_MS, () ->
        {
            member.checkAlive();
            return startedCount() >= partitions;
        });
    }

    private synchronized long startedCount()
    {
        return Arrays.stream(firstNs).filter(ns -> ns != NULL_NS).count();
    }

    /** The shortest or longest time until a first record. */
    private synchronized long fold(final long fromNs, final boolean isShortest)
    {
        final var times = Arrays.stream(firstNs).filter(ns -> ns != NULL_NS).map(ns -> ns - fromNs).summaryStatistics();
        return isShortest ? times.getMin() : times.getMax();
    }

    private void produce()
    {
        try (Producer<byte[], byte[]> sending = client.producer(0, "1"))
        {
            for (int i = 0; isProducing; i++)
            {
                sending.send(new ProducerRecord<>(topic.name(), i % PARTITIONS, null, new byte[10]));
                LockSupport.parkNanos(RECORD_INTERVAL_NS / PARTITIONS);
            }
        }
    }

    private static void park(final long ns)
    {
        final long deadlineNs = System.nanoTime() + ns;
        while (deadlineNs - System.nanoTime() > 0)
        {
            LockSupport.parkNanos(deadlineNs - System.nanoTime());
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
