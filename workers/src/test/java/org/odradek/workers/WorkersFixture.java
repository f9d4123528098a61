// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameBuilder;
import org.odradek.replay.FrameReplay;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Workers whose records come from made frames, on one thread, with a clock that stands still. The key of a record names
 * its worker, and its value is the list of the handled, acknowledged and reported things that tests compare.
 */
final class WorkersFixture implements AutoCloseable
{
    static final RecordRouter BY_FIRST_BYTE = (record, workers) -> record.keyByteBuffer().get() - '0';

    final List<String> handled = new ArrayList<>();
    final List<String> acknowledged = new ArrayList<>();
    final List<String> errors = new ArrayList<>();
    final Workers workers;
    /** What the handlers do instead of returning CONTINUE. */
    Function<Record, Action> handler = (record) -> Action.CONTINUE;
    private final FrameBuilder builder = new FrameBuilder("topic");
    private final List<Runnable> opened = new ArrayList<>();
    private FrameReplay replay;
    private long nowNs = -5;

    WorkersFixture(final int count, final HandlerErrorPolicy policy, final Consumer<WorkerSettings> changes)
    {
        // The memory of a ring stays until it is collected, and all tests of this module share a JVM.
        final WorkerSettings settings =
            new WorkerSettings(count, this::handler).router(BY_FIRST_BYTE).ringLength(64 * 1024);
        changes.accept(settings);
        workers = Workers.of(settings, (partition, epoch, nextOffset) -> acknowledged.add(partition + ":" + nextOffset),
            policy, () -> nowNs, (error) -> errors.add(error.getMessage()));
    }

    WorkersFixture(final HandlerErrorPolicy policy)
    {
        this(2, policy, (settings) -> {});
    }

    WorkersFixture()
    {
        this(HandlerErrorPolicy.STOP);
    }

    private ControlledRecordHandler handler(final Worker worker)
    {
        return (record) ->
        {
            final Action action = handler.apply(record);
            handled.add(worker.index() + " " + text(record) + (action == Action.ABORT ? " refused" : ""));
            return action;
        };
    }

    static String text(final Record record)
    {
        return record.partition() + ":" + record.offset();
    }

    /** Adds a record, whose key begins with the index of a worker. */
    WorkersFixture record(final int partition, final String key)
    {
        builder.record(partition, key.getBytes(StandardCharsets.US_ASCII), new byte[40]);
        return this;
    }

    WorkersFixture record(final int partition, final String key, final int valueLength)
    {
        builder.record(partition, key.getBytes(StandardCharsets.US_ASCII), new byte[valueLength]);
        return this;
    }

    FrameBuilder frames()
    {
        return builder;
    }

    /** Polls the records that have been added. Returns how many were dispatched. */
    int dispatch()
    {
        if (replay == null)
        {
            final CapturedFrames frames = builder.endFrame().build();
            replay = new FrameReplay(frames);
            opened.add(replay::close);
            opened.add(frames::close);
        }
        int count = 0;
        int dispatched;
        do
        {
            dispatched = replay.controlledPoll(workers.handler(), 1_000);
            count += dispatched;
        }
        while (dispatched > 0);
        return count;
    }

    boolean isDispatched()
    {
        return replay.isDone();
    }

    /** One duty cycle of one worker. */
    void work(final int index)
    {
        workers.worker(index).doWork();
    }

    /** Works until nothing is left; a duty cycle ends at the end of the ring. */
    void workAll(final int index)
    {
        while (workers.worker(index).doWork() > 0)
        {
            Thread.onSpinWait();
        }
    }

    void passMs(final long ms)
    {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Passes the interval of barriers, and lets the dispatcher work. */
    void pass()
    {
        passMs(10);
        workers.doWork();
        workers.doWork();
    }

    long count(final int worker, final int id)
    {
        return workers.counters().get(worker, id);
    }

    void assertError(final int index, final String text)
    {
        assertTrue(errors.get(index).contains(text), errors::toString);
    }

    @Override
    public void close()
    {
        opened.forEach(Runnable::run);
    }
}
