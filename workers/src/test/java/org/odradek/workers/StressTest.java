// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameBuilder;
import org.odradek.replay.FrameReplay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs workers on threads of their own with small rings, while handlers stall, refuse and throw, and ownerships end.
 * Each record is processed or skipped once, those of a key in their order, and nothing is acknowledged before.
 */
class StressTest
{
    private static final int WORKERS = 3;
    private static final int PARTITIONS = 4;
    private static final int KEYS = 20;
    private static final int RECORDS = 60_000;

    private final AtomicLongArray lastOfKey = new AtomicLongArray(PARTITIONS * KEYS);
    private final AtomicLongArray doneOfPartition = new AtomicLongArray(PARTITIONS * RECORDS);
    private volatile Throwable failure;
    private final AtomicBoolean isEnded = new AtomicBoolean();

    private ControlledRecordHandler handler(final Worker worker, final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed + worker.index());
        return (record) ->
        {
            switch (random.nextInt(2_000))
            {
                case 0:
                    throw new IllegalStateException("planted");
                case 1:
                    return Action.ABORT;
                case 2:
                    Thread.yield();
                    break;
                default:
                    break;
            }
            process(record);
            return random.nextInt(500) == 0 ? Action.BREAK : Action.CONTINUE;
        };
    }

    /** Keys hold their number, and values that of the record. */
    private void process(final Record record)
    {
        final int key =
            record.partition() * KEYS + Integer.parseInt(US_ASCII.decode(record.keyByteBuffer()).toString());
        final long last = lastOfKey.getAndSet(key, record.offset() + 1);
        final int index = record.partition() * RECORDS + (int)record.offset();
        if (last > record.offset() || doneOfPartition.getAndSet(index, 1) != 0 ||
            record.valueLength() != record.offset() % 50)
        {
            throw new AssertionError(record + " after " + last);
        }
    }

    private void run(final Worker worker)
    {
        try
        {
            while (!isEnded.get())
            {
                if (worker.doWork() == 0)
                {
                    worker.resume();
                    Thread.yield();
                }
            }
        }
        catch (final Throwable ex)
        {
            failure = ex;
        }
    }

    private static CapturedFrames frames(final SplittableRandom random)
    {
        final FrameBuilder builder = new FrameBuilder("stress");
        final Map<Integer, Integer> counts = new HashMap<>();
        int partition = 0;
        for (int i = 0; i < RECORDS; i++)
        {
            partition = random.nextInt(100) == 0 ? random.nextInt(PARTITIONS) : partition;
            final int count = counts.merge(partition, 1, Integer::sum);
            builder.record(partition, ("" + random.nextInt(KEYS)).getBytes(US_ASCII), new byte[(count - 1) % 50]);
        }
        return builder.endFrame().build();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldProcessOrSkipEachRecordOnce(final long seed) throws InterruptedException
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final boolean hasFences = seed % 2 == 0;
        final long[] acknowledged = new long[PARTITIONS];
        final Workers workers = Workers.of(
            new WorkerSettings(WORKERS, (worker) -> handler(worker, seed)).ringLength(4096 << random.nextInt(4))
            .barrierIntervalMs(1), (partition, epoch, nextOffset) ->
            {
                for (long offset = acknowledged[partition]; offset < nextOffset && !hasFences; offset++)
                {
                    assertEquals(1, doneOfPartition.get(partition * RECORDS + (int)offset), () -> "of " + partition);
                }
                acknowledged[partition] = nextOffset;
            }, HandlerErrorPolicy.STOP, System::nanoTime, (error) ->
            {
                if (!error.getMessage().contains("at which the worker stops"))
                {
                    failure = error;
                }
            });
        final List<Thread> threads = new ArrayList<>();
        for (int w = 0; w < WORKERS; w++)
        {
            final Worker worker = workers.worker(w);
            threads.add(new Thread(() -> run(worker)));
        }
        threads.forEach(Thread::start);
        try (CapturedFrames frames = frames(random); FrameReplay replay = new FrameReplay(frames))
        {
            int dispatched = 0;
            while (failure == null && !(replay.isDone() && workers.isPassed()))
            {
                dispatched += replay.controlledPoll(workers.handler(), 1 + random.nextInt(200));
                workers.doWork();
                if (hasFences && random.nextInt(20) == 0)
                {
                    workers.fences().end(random.nextInt(PARTITIONS));
                }
            }
            assertEquals(RECORDS, failure == null ? dispatched : RECORDS);
        }
        finally
        {
            isEnded.set(true);
        }
        for (final Thread thread : threads)
        {
            thread.join();
        }
        assertNull(failure);
        long processed = 0;
        long skipped = 0;
        for (int w = 0; w < WORKERS; w++)
        {
            processed += workers.counters().get(w, WorkerCounters.RECORDS);
            skipped += workers.counters().get(w, WorkerCounters.RECORDS_SKIPPED);
            assertEquals(0, workers.counters().get(w, WorkerCounters.RING_BYTES));
        }
        assertEquals(RECORDS, processed + skipped);
        assertTrue(hasFences ? skipped > 0 : skipped == 0, workers::describe);
    }
}
