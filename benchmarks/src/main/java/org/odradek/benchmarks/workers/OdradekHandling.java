// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.replay.FrameReplay;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;

/** Ours: a replay or a member of a group, which this thread polls, and the threads that handle its records. */
abstract class OdradekHandling implements Handling
{
    static final int PARK_NS = 50_000;

    final FrameReplay replay;
    TopicConsumer consumer;
    private final IdleStrategy idle;
    private final boolean isSpinning;
    private final List<AgentRunner> runners = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private OdradekHandling(final Settings settings, final FrameReplay replay)
    {
        this.replay = replay;
        isSpinning = settings.is("isSpinning");
        idle = newIdleStrategy();
    }

    static Handling open(final Settings settings, final FrameReplay replay, final Tally tally)
    {
        return switch (settings.text("arm"))
        {
            case "direct" -> new Direct(settings, replay, tally);
            case "bare-ring" -> new BareRings(settings, replay, tally);
            default -> new OnWorkers(settings, replay, tally);
        };
    }

    private IdleStrategy newIdleStrategy()
    {
        return isSpinning ? BusySpinIdleStrategy.INSTANCE : new SleepingIdleStrategy(PARK_NS);
    }

    static ConsumerContext context(final Settings settings, final CommitPolicy policy)
    {
        final Properties properties = settings.connection();
        properties.putAll(Arms.fetchProperties(settings));
        // A new group reads from the first record on.
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.text("group"));
        final ConsumerContext context = ConsumerContext.from(properties).topic(settings.text("topic")).joinGroup()
            .startPosition(StartPosition.earliest()).handlerErrorPolicy(HandlerErrorPolicy.THROW);
        context.group().commitPolicy(policy);
        return context;
    }

    final void connect(final Settings settings, final CommitPolicy policy)
    {
        consumer = replay != null ? null : TopicConsumer.connect(context(settings, policy));
    }

    final void start(final Agent agent)
    {
        runners.add(new AgentRunner(newIdleStrategy(), failure::set, null, agent));
        AgentRunner.startOnThread(runners.get(runners.size() - 1));
    }

    @Override
    public final void work(final int recordLimit)
    {
        if (replay != null && replay.isDone())
        {
            replay.rewind();
        }
        idle.idle(poll(recordLimit));
        throwFailure();
    }

    private void throwFailure()
    {
        if (failure.get() != null)
        {
            throw new IllegalStateException(failure.get());
        }
    }

    /** Returns 0 if there was nothing to do. */
    abstract int poll(int recordLimit);

    final int controlledPoll(final ControlledRecordHandler handler, final int recordLimit)
    {
        return replay != null ? replay.controlledPoll(handler, recordLimit) :
            consumer.controlledPoll(handler, recordLimit);
    }

    /** Returns whether all that was polled is handled. */
    boolean isEmpty()
    {
        return true;
    }

    void closeConsumer()
    {
        CloseHelper.close(consumer);
    }

    @Override
    public final void close()
    {
        while (!isEmpty())
        {
            throwFailure();
            idle.idle();
        }
        closeConsumer();
        CloseHelper.closeAll(runners);
        throwFailure();
    }

    private static long number(final Record record)
    {
        return record.valueLong(ThreeLongs.FIRST, ThreeLongs.ORDER);
    }

    private static void handle(final Record record, final Tally.Share share)
    {
        share.onRecord(number(record), record.valueLong(ThreeLongs.SECOND, ThreeLongs.ORDER) +
            record.valueLong(ThreeLongs.THIRD, ThreeLongs.ORDER));
    }

    /** Notes when each record is polled, if delays are measured. */
    private static ControlledRecordHandler timed(final Tally tally, final ControlledRecordHandler handler)
    {
        return !tally.isTimed() ? handler : (record) ->
        {
            tally.onPolled(number(record));
            return handler.onRecord(record);
        };
    }

    /** The handler runs on the polling thread, and what is delivered is committed. */
    private static final class Direct extends OdradekHandling
    {
        private final RecordHandler handler;

        private Direct(final Settings settings, final FrameReplay replay, final Tally tally)
        {
            super(settings, replay);
            final Tally.Share share = tally.share();
            handler = (record) -> handle(record, share);
            connect(settings, CommitPolicy.delivered(CommitPolicy.acknowledged().intervalMs()));
        }

        @Override
        int poll(final int recordLimit)
        {
            return replay != null ? replay.poll(handler, recordLimit) : consumer.poll(handler, recordLimit);
        }
    }

    /** Agrona's ring buffers, with a copy of key and value: records go to them in turn, and nothing is committed. */
    private static final class BareRings extends OdradekHandling
    {
        private static final int LENGTH = (8 << 20) + RingBufferDescriptor.TRAILER_LENGTH;
        private static final int RING_READS = 100;

        private final OneToOneRingBuffer[] rings;
        private final ControlledRecordHandler handler;
        private int next;

        private BareRings(final Settings settings, final FrameReplay replay, final Tally tally)
        {
            super(settings, replay);
            rings = new OneToOneRingBuffer[settings.number("workers")];
            handler = timed(tally, this::copy);
            for (int i = 0; i < rings.length; i++)
            {
                rings[i] = new OneToOneRingBuffer(new UnsafeBuffer(
                    BufferUtil.allocateDirectAligned(LENGTH, BitUtil.CACHE_LINE_LENGTH)));
                start(new Reader(rings[i], handler(tally.share())));
            }
            connect(settings, CommitPolicy.explicit());
        }

        private static MessageHandler handler(final Tally.Share share)
        {
            return (type, buffer, index, length) ->
            {
                final int value = index + Long.BYTES;
                share.onRecord(buffer.getLong(value + ThreeLongs.FIRST),
                    buffer.getLong(value + ThreeLongs.SECOND) + buffer.getLong(value + ThreeLongs.THIRD));
            };
        }

        /** Reads one ring. */
        private record Reader(OneToOneRingBuffer ring, MessageHandler handler) implements Agent
        {
            @Override
            public int doWork()
            {
                return ring.read(handler, RING_READS);
            }

            @Override
            public String roleName()
            {
                return "reader";
            }
        }

        private Action copy(final Record record)
        {
            final OneToOneRingBuffer ring = rings[next];
            final int index = ring.tryClaim(1, record.keyLength() + record.valueLength());
            if (index < 0)
            {
                return Action.ABORT;
            }
            next = next + 1 == rings.length ? 0 : next + 1;
            ring.buffer().putBytes(index, record.buffer(), record.keyIndex(), record.keyLength());
            ring.buffer().putBytes(
                index + record.keyLength(), record.buffer(), record.valueIndex(), record.valueLength());
            ring.commit(index);
            return Action.CONTINUE;
        }

        @Override
        int poll(final int recordLimit)
        {
            return controlledPoll(handler, recordLimit);
        }

        @Override
        boolean isEmpty()
        {
            for (final OneToOneRingBuffer ring : rings)
            {
                if (ring.consumerPosition() != ring.producerPosition())
                {
                    return false;
                }
            }
            return true;
        }
    }

    /** Ours under measurement. */
    private static final class OnWorkers extends OdradekHandling
    {
        private final Workers workers;
        private final ControlledRecordHandler handler;

        private OnWorkers(final Settings settings, final FrameReplay replay, final Tally tally)
        {
            super(settings, replay);
            final WorkerSettings workerSettings = new WorkerSettings(settings.number("workers"), (worker) ->
            {
                final Tally.Share share = tally.share();
                return (record) ->
                {
                    handle(record, share);
                    return Action.CONTINUE;
                };
            });
            workers = replay != null ? Workers.of(workerSettings, (partition, epoch, nextOffset) -> { }) :
                Workers.connect(context(settings, CommitPolicy.acknowledged()), workerSettings);
            consumer = replay != null ? null : workers.consumer();
            handler = timed(tally, workers.handler());
            for (int i = 0; i < workers.count(); i++)
            {
                start(workers.worker(i));
            }
        }

        @Override
        int poll(final int recordLimit)
        {
            return controlledPoll(handler, recordLimit) + workers.doWork();
        }

        @Override
        boolean isEmpty()
        {
            workers.doWork();
            return workers.isPassed();
        }

        /** Commits. */
        @Override
        void closeConsumer()
        {
            workers.close();
        }
    }
}
