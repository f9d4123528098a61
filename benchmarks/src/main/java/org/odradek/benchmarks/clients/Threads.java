// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.ClientTask;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.consumer.PartitionShard;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Several clients of one process, each on a thread of its own with its shard of the partitions. Their work is that of
 * {@link #pollUntil}; one poll is a whole pass. Settings, besides those of the clients: {@code each} is their class,
 * {@code threads} how many there are.
 */
public final class Threads implements Client
{
    private static final long LONGEST_PASS_NS = TimeUnit.HOURS.toNanos(1);

    private final Sink sink;
    private final List<Worker> workers = new ArrayList<>();

    public Threads(final Settings settings, final Sink sink)
    {
        this.sink = sink;
        final int count = settings.number(ClientTask.THREADS);
        final int[] partitions = settings.numbers("partitions");
        final long recordsOfPartition = settings.number("records", 0) / partitions.length;
        for (int i = 0; i < count; i++)
        {
            final PartitionShard shard = PartitionShard.modulo(i, count);
            final int[] share = IntStream.of(partitions).filter(shard::holds).toArray();
            workers.add(new Worker(settings.with("client", settings.text("each"), "partitions", share),
                sink.share(share), recordsOfPartition * share.length));
        }
    }

    /** One client, and the only thread that calls it. */
    private static final class Worker
    {
        private final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> new Thread(task, "polling"));
        private final Sink sink;
        private final long records;
        private final Client client;

        private Worker(final Settings settings, final Sink sink, final long records)
        {
            this.sink = sink;
            this.records = records;
            client = result(thread.submit(() -> Client.open(settings, sink)));
        }
    }

    private interface Work
    {
        void of(Worker worker) throws IOException;
    }

    /** Lets all threads do something at the same time, and waits for them. */
    private void onEach(final Work work)
    {
        workers.stream().map((worker) -> worker.thread.submit(() ->
        {
            work.of(worker);
            return worker;
        })).toList().forEach(Threads::result);
    }

    private static <T> T result(final Future<T> task)
    {
        try
        {
            return task.get();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public void poll()
    {
        pollUntil(sink, Long.MAX_VALUE, System.nanoTime() + LONGEST_PASS_NS);
    }

    /** Each reads its share to the end or until it is that late. */
    @Override
    public void pollUntil(final Sink all, final long records, final long deadlineNs)
    {
        onEach((worker) -> worker.client.pollUntil(worker.sink, worker.records, deadlineNs));
        all.setTo(workers.stream().map((worker) -> worker.sink).toList());
    }

    @Override
    public void rewind()
    {
        onEach((worker) ->
        {
            worker.sink.reset();
            worker.client.rewind();
        });
    }

    @Override
    public void rest()
    {
        onEach((worker) -> worker.client.rest());
    }

    @Override
    public long fetches()
    {
        return workers.stream().mapToLong((worker) -> worker.client.fetches()).sum();
    }

    @Override
    public void close()
    {
        onEach((worker) -> worker.client.close());
        workers.forEach((worker) -> worker.thread.shutdown());
    }
}
