// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;

import java.util.function.Supplier;

/**
 * Runs the code from the socket to a handler on prepared frames, so that HotSpot has compiled this code before the
 * first real record arrives. The handler must have the class of the handler that will receive the real records. It must
 * recognize and ignore the records of the warm-up. Built-in records belong to partition 0 and have the timestamp {@link
 * #TIMESTAMP_MS}.
 * <p>
 * The warm-up creates and closes its own consumer, on the caller's thread. It needs a few hundred thousand records.
 * <pre>{@code
 *  new WarmUp().compressionTypes(CompressionType.LZ4).run(handler, 500_000);
 *  try (TopicConsumer consumer = TopicConsumer.connect(context)) ...
 * }</pre>
 */
public final class WarmUp
{
    /** The timestamp of each built-in record, in milliseconds since 1970. */
    public static final long TIMESTAMP_MS = WarmUpFrames.TIMESTAMP_MS;

    private static final int RECORD_LIMIT = 500;

    private CapturedFrames frames;
    private int[] compressionTypes = {};
    private Supplier<ConsumerContext> settings = ConsumerContext::new;

    @FunctionalInterface
    private interface Poll
    {
        int poll(FrameReplay replay, int limit);
    }

    /**
     * Uses captured frames instead of the built-in frames.
     *
     * @param captured the frames, which must stay open until the warm-up has ended.
     * @return this warm-up.
     */
    public WarmUp frames(final CapturedFrames captured)
    {
        frames = captured;
        return this;
    }

    /**
     * Includes compressed batches in the built-in frames.
     *
     * @param types the constants of {@link org.odradek.protocol.record.CompressionType} that the topic uses.
     * @return this warm-up.
     */
    public WarmUp compressionTypes(final int... types)
    {
        compressionTypes = types.clone();
        return this;
    }

    /**
     * Uses settings of the live consumer, such as checksums and the isolation level.
     *
     * @param newSettings supplies contexts, as for {@link FrameReplay#FrameReplay(CapturedFrames, Supplier)}.
     * @return this warm-up.
     */
    public WarmUp settings(final Supplier<ConsumerContext> newSettings)
    {
        settings = newSettings;
        return this;
    }

    /**
     * Warms up {@link TopicConsumer#poll(RecordHandler, int)}.
     *
     * @param handler the handler.
     * @param records the minimum number of records to deliver, 1 or more.
     * @return the number delivered.
     */
    public long run(final RecordHandler handler, final long records)
    {
        return run((replay, limit) -> replay.poll(handler, limit), records);
    }

    /**
     * Warms up {@link TopicConsumer#controlledPoll(ControlledRecordHandler, int)}.
     *
     * @param handler the handler, which must not refuse a record forever.
     * @param records the minimum number of records to deliver, 1 or more.
     * @return the number delivered.
     */
    public long runControlled(final ControlledRecordHandler handler, final long records)
    {
        return run((replay, limit) -> replay.controlledPoll(handler, limit), records);
    }

    /**
     * Warms up {@link TopicConsumer#pollBatches(BatchHandler, int)}.
     *
     * @param handler the handler, which must not refuse a batch forever.
     * @param batches the minimum number of batches to deliver, 1 or more.
     * @return the number delivered.
     */
    public long runBatches(final BatchHandler handler, final long batches)
    {
        return run((replay, limit) -> replay.pollBatches(handler, limit), batches);
    }

    private long run(final Poll poll, final long count)
    {
        if (count < 1)
        {
            throw new IllegalArgumentException("the warm-up is to deliver " + count + " records: it must be 1 or more");
        }
        long delivered = 0;
        try (FrameReplay replay =
            new FrameReplay(frames == null ? WarmUpFrames.make(compressionTypes) : frames, settings))
        {
            while (delivered < count)
            {
                delivered += poll.poll(replay, RECORD_LIMIT);
                if (replay.isDone())
                {
                    if (delivered == 0)
                    {
                        throw new IllegalStateException("the frames of the warm-up hold no records");
                    }
                    replay.rewind();
                }
            }
        }
        return delivered;
    }
}
