// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.capture.CapturedFrames;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;

import java.util.function.Supplier;

/**
 * Runs everything from the socket's border to a handler on frames made beforehand, before live traffic comes, so that
 * HotSpot has compiled it when the first real record is there. The records go to the handler that will be given the
 * real ones, because compiled code holds for the classes it has seen: another handler would have to be unlearnt. So the
 * handler must be able to tell them apart or to forget them; a built-in one is of partition 0 and of the time {@link
 * #TIMESTAMP_MS}.
 * <p>
 * A consumer of its own is made and closed for it. Positions, counters, offset files and events of others know nothing
 * of it. It takes the caller's thread, and a few hundred thousand records until the compilers have done.
 * <pre>{@code
 *  new WarmUp().codecs(CompressionType.LZ4).run(handler, 500_000);
 *  try (TopicConsumer consumer = TopicConsumer.connect(context)) ...
 * }</pre>
 */
public final class WarmUp
{
    /**
     * The time of every built-in record, in the year 2001: 1,000,000,000,000 ms since 1970.
     */
    public static final long TIMESTAMP_MS = 1_000_000_000_000L;

    /**
     * So small that a frame is now and then left in the middle and gone on with, as in life.
     */
    private static final int RECORD_LIMIT = 500;

    private CapturedFrames frames;
    private int[] codecs = {};
    private Supplier<ConsumerContext> settings = ConsumerContext::new;

    /**
     * One call of a poll, with the handler in it.
     */
    @FunctionalInterface
    private interface Poll
    {
        int poll(FrameReplay replay, int limit);
    }

    /**
     * Use captured frames instead of the built-in ones: then it is exactly the records that come which code is made
     * for.
     *
     * @param captured frames, open until the warm-up is over.
     * @return this.
     */
    public WarmUp frames(final CapturedFrames captured)
    {
        frames = captured;
        return this;
    }

    /**
     * Have compressed batches among the built-in frames.
     *
     * @param types of {@link org.odradek.protocol.record.CompressionType}, those which the topic will hold.
     * @return this.
     */
    public WarmUp codecs(final int... types)
    {
        codecs = types.clone();
        return this;
    }

    /**
     * Go the way that the live consumer will go: checksums, isolation level and the like.
     *
     * @param newSettings a new context each time, see {@link FrameReplay#FrameReplay(CapturedFrames, Supplier)}.
     * @return this.
     */
    public WarmUp settings(final Supplier<ConsumerContext> newSettings)
    {
        settings = newSettings;
        return this;
    }

    /**
     * For a consumer that will be polled by {@link TopicConsumer#poll(RecordHandler, int)}.
     *
     * @param handler the one that will be given the real records.
     * @param records to deliver at least, 1 or more; the last frames come whole.
     * @return records delivered.
     */
    public long run(final RecordHandler handler, final long records)
    {
        return run((replay, limit) -> replay.poll(handler, limit), records);
    }

    /**
     * For a consumer that will be polled by {@link TopicConsumer#controlledPoll(ControlledRecordHandler, int)}.
     *
     * @param handler the one that will be given the real records; it must not refuse these for ever.
     * @param records to deliver at least.
     * @return records delivered.
     */
    public long runControlled(final ControlledRecordHandler handler, final long records)
    {
        return run((replay, limit) -> replay.controlledPoll(handler, limit), records);
    }

    /**
     * For a consumer that will be polled by {@link TopicConsumer#pollBatches(BatchHandler, int)}.
     *
     * @param handler the one that will be given the real batches; it must not refuse these for ever.
     * @param batches to deliver at least.
     * @return batches delivered.
     */
    public long runBatches(final BatchHandler handler, final long batches)
    {
        return run((replay, limit) -> replay.pollBatches(handler, limit), batches);
    }

    private long run(final Poll poll, final long count)
    {
        if (count < 1)
        {
            throw new IllegalArgumentException("a warm-up of " + count + " was asked for: it must be 1 or more");
        }
        long delivered = 0;
        try (FrameReplay replay = new FrameReplay(frames == null ? WarmUpFrames.make(codecs) : frames, settings))
        {
            while (delivered < count)
            {
                delivered += poll.poll(replay, RECORD_LIMIT);
                if (replay.isDone())
                {
                    if (delivered == 0)
                    {
                        throw new IllegalStateException("the frames to warm up with hold no record");
                    }
                    replay.rewind();
                }
            }
        }
        return delivered;
    }
}
