// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.handover;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.testkit.Await;
import org.odradek.testkit.Brokers;
import org.odradek.testkit.JavaProcess;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The measurement of one client. One member reads all partitions of a topic to which a record is written every 10 ms; a
 * second one joins, leaves, joins, and is killed, in each round.
 */
final class Handover implements AutoCloseable
{
    static final int PARTITIONS = 8;

    private static final long RECORD_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);
    /** More than the 5 s between two commits. */
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(6);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final String STAYS = "stays";
    private static final long NULL_NS = Long.MIN_VALUE;

    /** A client to measure; 0 leaves the interval of the heartbeats to the broker. */
    record Client(String name, boolean isOurs, int heartbeatMs)
    {
    }

    /** What a change took: milliseconds of each round, and all records that were delivered again. */
    static final class Change
    {
        private final List<Long> tookMs = new ArrayList<>();
        private long repeats;

        double medianMs()
        {
            Collections.sort(tookMs);
            return tookMs.get(tookMs.size() / 2);
        }

        long repeats()
        {
            return repeats;
        }
    }

    private final Brokers brokers;
    private final Client client;
    private final String topic;
    private final Thread producer;
    private final Change join = new Change();
    private final Change leave = new Change();
    private final Change kill = new Change();
    private volatile boolean isProducing = true;
    private double idleCpu;

    // The threads that read the members' lines write these, under the lock of this.
    private final BitSet[] delivered = new BitSet[PARTITIONS];
    private final long[] firstNs = new long[PARTITIONS];
    private String watched = "";
    private long watchedFromNs;
    private long repeats;

    Handover(final Brokers brokers, final Client client, final int number)
    {
        this.brokers = brokers;
        this.client = client;
        topic = "handover-" + number;
        brokers.createTopic(topic, PARTITIONS);
        Arrays.setAll(delivered, (partition) -> new BitSet());
        producer = new Thread(this::produce, "producer");
        producer.setDaemon(true);
        producer.start();
    }

    private void produce()
    {
        try (Producer<byte[], byte[]> sending = brokers.producer(0, "1"))
        {
            for (int i = 0; isProducing; i++)
            {
                sending.send(new ProducerRecord<>(topic, i % PARTITIONS, null, new byte[10]));
                LockSupport.parkNanos(RECORD_INTERVAL_NS / PARTITIONS);
            }
        }
    }

    void run(final int rounds)
    {
        try (JavaProcess stays = member(STAYS))
        {
            watch(STAYS);
            stays.send("join");
            awaitFirstRecords(stays, PARTITIONS);
            for (int round = 0; round < rounds; round++)
            {
                try (JavaProcess moves = member("leaves"))
                {
                    measure(join, () -> joined(moves, "leaves"));
                    measure(leave, () -> handedOver(stays, () -> moves.send("leave")));
                    moves.exitCode(60, TimeUnit.SECONDS);
                }
                try (JavaProcess moves = member("dies"))
                {
                    measure(join, () -> joined(moves, "dies"));
                    measure(kill, () -> handedOver(stays, moves::kill));
                }
            }
            isProducing = false;
            settle(SETTLE_NS);
            idleCpu = cpuOf(stays);
        }
    }

    private void measure(final Change change, final LongSupplier step)
    {
        final long before = repeats();
        change.tookMs.add(TimeUnit.NANOSECONDS.toMillis(step.getAsLong()));
        settle(SETTLE_NS);
        change.repeats += repeats() - before;
    }

    private JavaProcess member(final String name)
    {
        final boolean[] isReady = new boolean[1];
        final JavaProcess member = JavaProcess.of(HandoverMember.class)
            .flags("-Xmx64m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args(brokers.bootstrapServers(), topic, String.valueOf(client.isOurs()),
                String.valueOf(client.heartbeatMs()))
            .onStdout((line) -> onLine(name, line, isReady))
            .start();
        await("start of a member", member, () -> isReady[0]);
        return member;
    }

    private synchronized void onLine(final String name, final String line, final boolean[] isReady)
    {
        if (line.equals(HandoverMember.READY))
        {
            isReady[0] = true;
            return;
        }
        if (line.equals(HandoverMember.LEFT))
        {
            return;
        }
        final String[] columns = line.split(" ");
        final int partition = Integer.parseInt(columns[0]);
        final int offset = Integer.parseInt(columns[1]);
        final long ns = Long.parseLong(columns[2]);
        repeats += delivered[partition].get(offset) ? 1 : 0;
        delivered[partition].set(offset);
        if (name.equals(watched) && firstNs[partition] == NULL_NS && ns - watchedFromNs > 0)
        {
            firstNs[partition] = ns;
        }
    }

    private synchronized long repeats()
    {
        return repeats;
    }

    /** Notes from now on when a member delivers the first record of each partition. */
    private synchronized long watch(final String name)
    {
        watched = name;
        watchedFromNs = System.nanoTime();
        Arrays.fill(firstNs, NULL_NS);
        return watchedFromNs;
    }

    /** Returns the time until the member delivers its first record; ends when it has its share. */
    private long joined(final JavaProcess member, final String name)
    {
        final long fromNs = watch(name);
        member.send("join");
        awaitFirstRecords(member, PARTITIONS / 2);
        return fold(fromNs, true);
    }

    /** Returns the time until the member that stays delivers every partition. */
    private long handedOver(final JavaProcess stays, final Runnable end)
    {
        final long fromNs = watch(STAYS);
        end.run();
        awaitFirstRecords(stays, PARTITIONS);
        return fold(fromNs, false);
    }

    private void awaitFirstRecords(final JavaProcess member, final int count)
    {
        await("records of " + count + " partitions", member, () -> startedCount() >= count);
    }

    private synchronized int startedCount()
    {
        int count = 0;
        for (final long ns : firstNs)
        {
            count += ns == NULL_NS ? 0 : 1;
        }
        return count;
    }

    /** The shortest or longest time until a first record. */
    private synchronized long fold(final long fromNs, final boolean isShortest)
    {
        long found = NULL_NS;
        for (final long ns : firstNs)
        {
            final boolean isBetter = found == NULL_NS || (isShortest ? ns - found < 0 : ns - found > 0);
            found = ns != NULL_NS && isBetter ? ns : found;
        }
        return found - fromNs;
    }

    private static void await(
        final String what, final JavaProcess member, final BooleanSupplier condition)
    {
        Await.until(what, Await.DEFAULT_TIMEOUT_MS, () ->
        {
            if (!member.isAlive())
            {
                throw new IllegalStateException(
                    "A member has ended with exit code " + member.exitCode(1, TimeUnit.SECONDS) + ".");
            }
            return condition.getAsBoolean();
        });
    }

    /** Returns the percentage of a core that a member without records takes. */
    private static double cpuOf(final JavaProcess member)
    {
        final ProcessHandle process = ProcessHandle.of(member.pid()).orElseThrow();
        final long before = process.info().totalCpuDuration().orElseThrow().toNanos();
        final long fromNs = System.nanoTime();
        settle(IDLE_NS);
        final long after = process.info().totalCpuDuration().orElseThrow().toNanos();
        return 100.0 * (after - before) / (System.nanoTime() - fromNs);
    }

    private static void settle(final long ns)
    {
        final long deadlineNs = System.nanoTime() + ns;
        while (deadlineNs - System.nanoTime() > 0)
        {
            LockSupport.parkNanos(deadlineNs - System.nanoTime());
        }
    }

    Client client()
    {
        return client;
    }

    Change join()
    {
        return join;
    }

    Change leave()
    {
        return leave;
    }

    Change kill()
    {
        return kill;
    }

    double idleCpu()
    {
        return idleCpu;
    }

    @Override
    public void close()
    {
        isProducing = false;
    }
}
