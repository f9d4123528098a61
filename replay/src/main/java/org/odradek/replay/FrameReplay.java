// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.concurrent.NanoClock;
import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Replays captured frames to a {@link TopicConsumer} whose sockets are in memory. One thread may use a replay.
 * <p>
 * The handler receives the record sets that were delivered during the capture, from the offsets that were requested
 * then, frame by frame in the order of arrival. A record set that was delivered only in part is delivered completely.
 * <p>
 * A poll throws the exceptions of the handler. After an exception the rest of the record set is not delivered, and the
 * next poll continues with the next frames.
 */
public final class FrameReplay implements AutoCloseable
{
    private static final long READY_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int READY_ATTEMPTS = 1_000;
    private static final int FRAMING_LENGTH = 64 * 1024;

    private static final class PassedOn implements ControlledRecordHandler, BatchHandler
    {
        private ControlledRecordHandler records;
        private BatchHandler batches;
        private boolean isCalled;

        @Override
        public Action onRecord(final Record record)
        {
            isCalled = true;
            return records.onRecord(record);
        }

        @Override
        public Action onBatch(final StoredBatch batch)
        {
            isCalled = true;
            return batches.onBatch(batch);
        }
    }

    private final PassedOn passedOn = new PassedOn();
    private final CapturedFrames frames;
    private final Supplier<ConsumerContext> settings;
    private final ReplayPlan plan;
    private boolean isDone;
    private int runStart;
    private ReplayBroker broker;
    private TopicConsumer consumer;
    private NanoClock clock;

    /**
     * Creates a replay with the default settings of a consumer.
     *
     * @param frames the frames to replay, which the caller closes after the replay.
     * @throws IllegalArgumentException if there is no frame.
     */
    public FrameReplay(final CapturedFrames frames)
    {
        this(frames, ConsumerContext::new);
    }

    /**
     * Creates a replay with settings of a consumer.
     *
     * @param frames   the frames to replay, which the caller closes after the replay.
     * @param settings supplies a new context for each consumer that the replay creates. The context must not have a
     *                 group, a shard, a transport, security or offsets of single partitions. The replay sets the
     *                 bootstrap servers, the topic, the partitions, the poller, the {@code handlerErrorPolicy}, the
     *                 fetch sessions and the connections.
     * @throws IllegalArgumentException if there is no frame.
     */
    public FrameReplay(final CapturedFrames frames, final Supplier<ConsumerContext> settings)
    {
        if (frames.count() == 0)
        {
            throw new IllegalArgumentException("the capture of topic " + frames.topic() + " holds no frame, so there " +
                "is nothing to replay" + (frames.missedCount() == 0 ? "" :
                ": the first one did not fit into the file, whose limit must be raised"));
        }
        this.frames = frames;
        this.settings = settings;
        plan = new ReplayPlan(frames);
        isDone = plan.count() == 0;
    }

    /**
     * Delivers records to a handler.
     *
     * @param handler     the handler; each record is valid only during its call.
     * @param recordLimit the maximum number of records to deliver.
     * @return the number of records delivered; 0 if all frames have been delivered.
     */
    public int poll(final RecordHandler handler, final int recordLimit)
    {
        int delivered = 0;
        while (delivered == 0 && prepare())
        {
            final long fetchReads = broker.fetchReads();
            delivered = consumer.poll(handler, recordLimit);
            if (delivered == 0)
            {
                checkStalled(fetchReads);
            }
        }
        return delivered;
    }

    /**
     * Delivers records to a handler that decides after each record how to continue.
     *
     * @return the number of records delivered; 0 if all frames have been delivered, or if the handler refused a record.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit)
    {
        passedOn.records = handler;
        passedOn.isCalled = false;
        while (prepare())
        {
            final long fetchReads = broker.fetchReads();
            final int delivered = consumer.controlledPoll(passedOn, recordLimit);
            if (delivered > 0 || passedOn.isCalled)
            {
                return delivered;
            }
            checkStalled(fetchReads);
        }
        return 0;
    }

    /**
     * Delivers whole batches to a handler.
     *
     * @return the number of batches delivered; 0 if all frames have been delivered, or if the handler refused a batch.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit)
    {
        passedOn.batches = handler;
        passedOn.isCalled = false;
        while (prepare())
        {
            final long fetchReads = broker.fetchReads();
            final int delivered = consumer.pollBatches(passedOn, batchLimit);
            if (delivered > 0 || passedOn.isCalled)
            {
                return delivered;
            }
            checkStalled(fetchReads);
        }
        return 0;
    }

    /**
     * Notes if the consumer has no records and sends no request, as after an error of its partitions. A poll may also
     * end without a record because its step has taken long; then the consumer has work at once.
     */
    private void checkStalled(final long fetchReads)
    {
        if (broker.fetchReads() == fetchReads && consumer.nextDeadlineNs() - clock.nanoTime() > 0)
        {
            broker.onStalled();
        }
    }

    /** Returns true if all frames have been delivered or the replay is closed. */
    public boolean isDone()
    {
        return isDone;
    }

    /**
     * Starts again with the first frame. If the current consumer cannot continue there, the method creates a new
     * consumer, which allocates.
     */
    public void rewind()
    {
        isDone = plan.count() == 0;
        // If the consumer does not wait for a response, it may still have records of a frame to deliver.
        if (broker != null && broker.isWaiting() && broker.runEnd() == plan.runEnd(0))
        {
            broker.step(0);
        }
        else
        {
            endRun();
            if (!isDone)
            {
                beginRun(0);
            }
        }
    }

    /** Prepares the consumer for the next poll. Returns false if all frames have been delivered. */
    private boolean prepare()
    {
        if (isDone)
        {
            return false;
        }
        if (broker == null)
        {
            beginRun(runStart);
        }
        else if (broker.isWaiting())
        {
            final int step = broker.step();
            if (step == plan.count())
            {
                isDone = true;
            }
            else if (step == broker.runEnd())
            {
                endRun();
                beginRun(step);
            }
            else
            {
                arrange(step);
            }
        }
        return !isDone;
    }

    private void beginRun(final int step)
    {
        runStart = step;
        try
        {
            connect(step, plan.runEnd(step));
        }
        catch (final RuntimeException | Error ex)
        {
            endRun();
            throw ex;
        }
    }

    private void connect(final int step, final int end)
    {
        broker = new ReplayBroker(frames, plan, step, end);
        final ConsumerContext context = settings.get();
        consumer = TopicConsumer.connect(context
            .bootstrapServers(ReplayAnswers.HOST + ":" + ReplayAnswers.PORT)
            .topic(frames.topic())
            .noPartitions()
            .expectedLeaders(1)
            .fetchSession(FetchSessionMode.OFF)
            .fetchConnections(1)
            .handlerErrorPolicy(HandlerErrorPolicy.THROW)
            .receiveBufferMaxLength(Math.max(ConsumerConfiguration.RECEIVE_BUFFER_MAX_LENGTH_DEFAULT,
                plan.maxFrameLength(step, end) + FRAMING_LENGTH))
            .poller(broker));
        clock = context.nanoClock();
        broker.consumer(consumer);
        for (final int partition : plan.partitions(step, end))
        {
            consumer.assign(partition, StartPosition.offset(0));
        }
        arrange(step);
        // On an interrupted thread each attempt is a single duty cycle.
        for (int attempt = 1; !consumer.awaitReady(READY_TIMEOUT_NS); attempt++)
        {
            if (attempt == READY_ATTEMPTS)
            {
                throw new IllegalStateException("the replay's consumer does not become ready:\n" + consumer.describe());
            }
        }
    }

    /**
     * Moves the consumer to the offsets of the next frame, and pauses the partitions of the frame whose records must
     * not be delivered.
     */
    private void arrange(final int step)
    {
        final int frame = plan.frame(step);
        boolean isMoved = false;
        for (int set = 0; set < frames.setCount(frame); set++)
        {
            final int partition = frames.partition(frame, set);
            final long offset = frames.fetchOffset(frame, set);
            if (broker.isStalled() || broker.hasStopped() || consumer.isPaused(partition) ||
                consumer.nextOffset(partition) != offset)
            {
                consumer.seek(partition, offset);
                consumer.resume(partition);
                isMoved = true;
            }
        }
        for (final int partition : plan.unwanted(step))
        {
            if (consumer.isAssigned(partition) && !consumer.isPaused(partition))
            {
                consumer.pause(partition);
            }
        }
        broker.onArranged(isMoved);
    }

    private void endRun()
    {
        if (consumer != null)
        {
            // In a callback this call throws, and the replay must be able to continue.
            consumer.close();
            consumer = null;
        }
        broker = null;
    }

    @Override
    public void close()
    {
        endRun();
        isDone = true;
    }
}
