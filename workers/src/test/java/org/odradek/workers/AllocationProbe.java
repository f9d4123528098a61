// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.testkit.internal.ThreadUsage;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Main class of a JVM with a member that has two workers, and prints how many bytes its three threads allocated
 * meanwhile. The member reads its topic again and again. It warms up until several rounds in a row have allocated
 * nothing. A window in which something was compiled is followed by another one, because the JVM charges threads with a
 * few bytes for compiled code. The exit code is 0 only if the last window allocated nothing.
 */
public final class AllocationProbe
{
    private static final int QUIET_ROUNDS = 8;
    private static final int MAX_WARM_UP_ROUNDS = 200;
    private static final int MAX_WINDOWS = 20;
    private static final int ROUND_RECORDS = 100_000;
    private static final int RECORD_LIMIT = 1_000;
    private static final long PARK_NS = 50_000;

    private final int partitions = Integer.getInteger("probe.partitions");
    private final long recordsOfPartition = Long.getLong("probe.recordsOfPartition");
    private final boolean isPlanted = Boolean.getBoolean("probe.planted");
    private final Workers workers;
    private final long[] threadIds = new long[3];
    private final long[] sums = new long[2];
    private Object planted;

    private AllocationProbe()
    {
        workers = Workers.connect(new ConsumerContext().bootstrapServers(System.getProperty("probe.bootstrap"))
            .topic(System.getProperty("probe.topic")).startPosition(StartPosition.earliest()).metadataMaxAgeMs(200)
            .countersFile(Path.of(System.getProperty("probe.countersFile")))
            .group(new GroupSettings(System.getProperty("probe.topic")).heartbeatIntervalMs(100)
            .fenceAfterMs(30_000).commitPolicy(CommitPolicy.acknowledged(50))),
            new WorkerSettings(2, this::handler).ringLength(256 * 1024));
    }

    /** No arguments; settings are system properties. */
    public static void main(final String[] args)
    {
        System.exit(new AllocationProbe().run(Integer.getInteger("probe.records")) == 0 ? 0 : 1);
    }

    private ControlledRecordHandler handler(final Worker worker)
    {
        return (record) ->
        {
            sums[worker.index()] += record.valueLong(0, ByteOrder.BIG_ENDIAN) + record.keyLength();
            if (isPlanted && record.offset() == 1)
            {
                planted = new Object();
            }
            return null;
        };
    }

    @SuppressWarnings("deprecation")    // threadId() does not exist in JDK 17
    private void start(final int index, final IntSupplier work)
    {
        final Thread thread = new Thread(() ->
        {
            while (true)
            {
                if (work.getAsInt() == 0)
                {
                    LockSupport.parkNanos(PARK_NS);
                }
            }
        });
        thread.setDaemon(true);
        threadIds[index] = thread.getId();
        thread.start();
    }

    /** Polls, and begins again at the end of the topic. */
    private int dispatch()
    {
        final int work = workers.consumer().controlledPoll(workers.handler(), RECORD_LIMIT) + workers.doWork();
        for (int p = 0; p < partitions; p++)
        {
            if (workers.consumer().isAssigned(p) && workers.consumer().nextOffset(p) == recordsOfPartition)
            {
                workers.consumer().seek(p, 0);
            }
        }
        return work;
    }

    private long run(final int records)
    {
        start(0, this::dispatch);
        start(1, workers.worker(0)::doWork);
        start(2, workers.worker(1)::doWork);
        int quietRounds = 0;
        for (int i = 0; i < MAX_WARM_UP_ROUNDS && quietRounds < QUIET_ROUNDS; i++)
        {
            final long compilationMs = ThreadUsage.compilationMs();
            quietRounds = measure(ROUND_RECORDS) == 0 && ThreadUsage.compilationMs() == compilationMs ?
                quietRounds + 1 : 0;
        }
        long bytes;
        long compilationMs;
        int windows = 0;
        do
        {
            compilationMs = ThreadUsage.compilationMs();
            final long commits = workers.consumer().counters().get(ConsumerCounters.COMMITS);
            bytes = measure(records);
            System.out.println("bytes=" + bytes + " records=" + records + " commits=" +
                (workers.consumer().counters().get(ConsumerCounters.COMMITS) - commits) + " sum=" +
                (sums[0] + sums[1]) + "\n" + workers.counters());
        }
        while (bytes != 0 && ThreadUsage.compilationMs() != compilationMs && ++windows < MAX_WINDOWS);
        return bytes;
    }

    /** Returns the bytes that the three threads have allocated while they processed so many records. */
    private long measure(final int records)
    {
        final long end = processed() + records;
        final long bytes = allocated();
        while (processed() < end)
        {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return allocated() - bytes;
    }

    private long processed()
    {
        return workers.counters().get(0, WorkerCounters.RECORDS) + workers.counters().get(1, WorkerCounters.RECORDS);
    }

    private long allocated()
    {
        long bytes = 0;
        for (final long id : threadIds)
        {
            bytes += ThreadUsage.allocatedBytes(id);
        }
        return bytes;
    }
}
