// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.capture.CapturedFrames;
import org.odradek.consumer.fetch.FetchSessionMode;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Reads captured frames as they were read when they came: by a {@link TopicConsumer}, whose sockets are memory. All
 * that a live consumer does is done, but for the system calls; once warm it allocates nothing.
 * <p>
 * Delivered is what the capturing consumer took in of the frames, from the offsets it had asked for, frame by frame in
 * the order in which they came. What a handler's seek, pause or unassign cut short then comes whole now, and so does
 * the last frame. Used by one thread.
 */
public final class FrameReplay implements AutoCloseable
{
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_STEPS = 10_000;
    private static final int FRAMING_LENGTH = 64 * 1024;

    private final CapturedFrames frames;
    private final Supplier<ConsumerContext> settings;
    private final ReplayPlan plan;
    private boolean isDone;
    private ReplayBroker broker;
    private TopicConsumer consumer;

    /**
     * With the settings that a consumer has by default.
     *
     * @param frames to replay; they are not closed with this.
     */
    public FrameReplay(final CapturedFrames frames)
    {
        this(frames, ConsumerContext::new);
    }

    /**
     * With settings of one's own.
     *
     * @param frames   to replay; they are not closed with this.
     * @param settings a new context each time: isolation level, checksums, listener, error handler and the like.
     *                 Servers, topic, partitions, positions and the poller are set here.
     */
    public FrameReplay(final CapturedFrames frames, final Supplier<ConsumerContext> settings)
    {
        this.frames = frames;
        this.settings = settings;
        plan = new ReplayPlan(frames);
        isDone = plan.count() == 0;
    }

    /**
     * Deliver records, of one frame or of several.
     *
     * @param handler     to be given each record.
     * @param recordLimit at most so many records.
     * @return records delivered; 0 if there are no more.
     */
    public int poll(final RecordHandler handler, final int recordLimit)
    {
        int delivered = 0;
        while (delivered == 0 && prepare())
        {
            final long looks = broker.looks();
            delivered = consumer.poll(handler, recordLimit);
            if (delivered == 0 && broker.looks() == looks)
            {
                // It has nothing and asks for nothing, as where its partitions have been stopped.
                broker.lost();
            }
        }
        return delivered;
    }

    /**
     * As {@link #poll}, with a handler that says how to go on after each record.
     *
     * @param handler     to be given each record.
     * @param recordLimit at most so many records.
     * @return records delivered; 0 is not the end, as a handler may refuse a record: {@link #isDone()} tells.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int recordLimit)
    {
        while (prepare())
        {
            final long looks = broker.looks();
            final int delivered = consumer.controlledPoll(handler, recordLimit);
            // A consumer that delivers nothing, and does not look for more, has been refused what it holds.
            if (delivered > 0 || broker.looks() == looks)
            {
                return delivered;
            }
        }
        return 0;
    }

    /**
     * As {@link #controlledPoll}, with whole batches.
     *
     * @param handler    to be given each batch.
     * @param batchLimit at most so many batches.
     * @return batches delivered.
     */
    public int pollBatches(final BatchHandler handler, final int batchLimit)
    {
        while (prepare())
        {
            final long looks = broker.looks();
            final int delivered = consumer.pollBatches(handler, batchLimit);
            if (delivered > 0 || broker.looks() == looks)
            {
                return delivered;
            }
        }
        return 0;
    }

    /**
     * Whether all has been delivered.
     */
    public boolean isDone()
    {
        return isDone;
    }

    /**
     * Begin again with the first frame.
     */
    public void rewind()
    {
        isDone = plan.count() == 0;
        if (broker != null && broker.runEnd() == plan.runEnd(0))
        {
            broker.place(0);
        }
        else
        {
            endRun();
        }
    }

    /**
     * See to it that the consumer can go on.
     *
     * @return false if there is no more.
     */
    private boolean prepare()
    {
        if (isDone)
        {
            return false;
        }
        if (broker == null)
        {
            beginRun(0);
        }
        else if (broker.isStuck())
        {
            final int place = broker.place();
            if (place == plan.count())
            {
                isDone = true;
            }
            else if (place == broker.runEnd())
            {
                endRun();
                beginRun(place);
            }
            else
            {
                arrange(place);
            }
        }
        return !isDone;
    }

    private void beginRun(final int place)
    {
        final int end = plan.runEnd(place);
        broker = new ReplayBroker(frames, plan, place, end);
        consumer = TopicConsumer.connect(settings.get()
            .bootstrapServers(ReplayAnswers.HOST + ":" + ReplayAnswers.PORT)
            .topic(frames.topic())
            .partitions()
            .expectedLeaders(1)
            .fetchSession(FetchSessionMode.OFF)
            .receiveBufferMaxLength(Math.max(ConsumerConfiguration.RECEIVE_BUFFER_MAX_LENGTH_DEFAULT,
                plan.maxFrameLength(place, end) + FRAMING_LENGTH))
            .poller(new ReplayPoller(broker)));
        broker.consumer(consumer);
        for (final int partition : plan.partitions(place, end))
        {
            consumer.assign(partition, StartPosition.offset(0));
        }
        arrange(place);
        for (int step = 0; !consumer.awaitReady(STEP_NS); step++)
        {
            if (step == MAX_STEPS)
            {
                throw new IllegalStateException("the replay does not begin:\n" + consumer.describe());
            }
        }
    }

    /**
     * Let the consumer read what is in the next frame from where it was read then, and nothing else of it. What is
     * paused is dropped when it comes, even if it has been asked for.
     */
    private void arrange(final int place)
    {
        final int frame = plan.frame(place);
        boolean isAnew = false;
        for (int set = 0; set < frames.setCount(frame); set++)
        {
            final int partition = frames.partition(frame, set);
            final long offset = frames.fetchOffset(frame, set);
            if (broker.isLost() || consumer.isPaused(partition) || consumer.nextOffset(partition) != offset)
            {
                consumer.seek(partition, offset);
                consumer.resume(partition);
                isAnew = true;
            }
        }
        if (plan.isMixed(place))
        {
            plan.forEachUnwanted(place, this::pause);
        }
        broker.arranged(isAnew);
    }

    private void pause(final int partition)
    {
        if (consumer.isAssigned(partition) && !consumer.isPaused(partition))
        {
            consumer.pause(partition);
        }
    }

    private void endRun()
    {
        if (consumer != null)
        {
            consumer.close();
            consumer = null;
            broker = null;
        }
    }

    @Override
    public void close()
    {
        endRun();
        isDone = true;
    }
}
