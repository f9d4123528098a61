// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.StopReason;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPeer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Rewinds in the middle of a frame, stopped partitions, and settings that are refused.
 */
final class FrameReplayTest
{
    private static final int PARTITION = 0;
    private static final int CRC_INDEX = 17;

    private final List<Long> offsets = new ArrayList<>();

    private static FrameBuilder addBatch(final FrameBuilder builder, final int records)
    {
        for (int i = 0; i < records; i++)
        {
            builder.record(PARTITION, null, new byte[10]);
        }
        return builder.endBatch();
    }

    private void poll(final FrameReplay replay, final int limit)
    {
        replay.poll((record) -> offsets.add(record.offset()), limit);
    }

    @Test
    void shouldBeginWithTheFirstRecordAfterARewindInTheMiddleOfAFrame()
    {
        try (FrameReplay replay = new FrameReplay(addBatch(new FrameBuilder("metrics"), 100).build()))
        {
            poll(replay, 3);
            replay.rewind();
            poll(replay, 2);
            while (!replay.isDone())
            {
                poll(replay, 100);
            }
            replay.rewind();
            poll(replay, 1);
        }

        assertEquals(List.of(0L, 1L, 2L, 0L, 1L, 2L), offsets.subList(0, 6));
        assertEquals(0, offsets.get(offsets.size() - 1));
        assertEquals(3 + 100 + 1, offsets.size());
    }

    /** A pass that is measured does not hold it. */
    @Test
    void shouldMakeTheNewConsumerInTheRewind()
    {
        final AtomicInteger consumers = new AtomicInteger();
        try (FrameReplay replay = new FrameReplay(addBatch(new FrameBuilder("metrics"), 100).build(), () ->
        {
            consumers.incrementAndGet();
            return new ConsumerContext();
        }))
        {
            poll(replay, 3);
            replay.rewind();
            assertEquals(2, consumers.get());
            poll(replay, 3);
            assertEquals(2, consumers.get());
        }

        assertEquals(List.of(0L, 1L, 2L, 0L, 1L, 2L), offsets);
    }

    /**
     * The first frame stops the partition, and the second one has the same offset, because the consumer has sought back
     * to it.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldGoOnWhereTheConsumerHasStoppedAndSoughtBack(final int kind, @TempDir final Path folder)
    {
        final Path file = folder.resolve("frames");
        capture(file);
        final int[] refusals = {2};

        try (CapturedFrames frames = CapturedFrames.open(file);
            FrameReplay replay = new FrameReplay(frames, () -> new ConsumerContext().errorHandler((error) -> { })))
        {
            while (!replay.isDone())
            {
                switch (kind)
                {
                    case 0 -> poll(replay, 10);
                    case 1 -> replay.controlledPoll(
                        (record) -> refusals[0]-- > 0 ? Action.ABORT : add(record.offset(), record.offset()), 10);
                    default -> replay.pollBatches((batch) ->
                        refusals[0]-- > 0 ? Action.ABORT : add(batch.fromOffset(), batch.lastOffset()), 10);
                }
            }
        }

        assertEquals(List.of(0L, 1L, 2L), offsets);
        assertEquals(kind == 0, refusals[0] == 2);
    }

    private Action add(final long from, final long to)
    {
        for (long offset = from; offset <= to; offset++)
        {
            offsets.add(offset);
        }
        return Action.CONTINUE;
    }

    private static void capture(final Path file)
    {
        final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
        final boolean[] isStopped = {false};
        final int[] count = {0};
        try (ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST))
        {
            peer.change(() -> cluster.createTopic("metrics", 1, 1).partition(PARTITION).log()
                .append(BatchTemplate.ofValues("a", "b", "c")));
            final MemoryRecords corrupt =
                MemoryRecords.withRecords(0, Compression.NONE, 1, new SimpleRecord(new byte[1]));
            corrupt.buffer().putInt(CRC_INDEX, 0);
            peer.script(PARTITION, (requested) -> new PartitionData().setPartitionIndex(PARTITION).setHighWatermark(3)
                .setLastStableOffset(3).setLogStartOffset(0).setRecords(corrupt));
            try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext().bootstrapServers(peer.address())
                .topic("metrics").startPosition(StartPosition.earliest()).frameHandler(new FrameCapture(file))
                .errorHandler((error) -> { }).listener(new ConsumerListener()
                {
                    @Override
                    public void onPartitionStopped(
                        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
                    {
                        isStopped[0] = true;
                    }
                })))
            {
                while (!isStopped[0])
                {
                    consumer.poll((record) -> { }, 10, 10_000_000);
                }
                peer.heal(PARTITION);
                consumer.seek(PARTITION, 0);
                while (count[0] < 3)
                {
                    consumer.poll((record) -> count[0]++, 10, 10_000_000);
                }
            }
        }
    }

    /** A handler or listener may have a breakpoint, or the machine may stand still. */
    @Test
    void shouldDeliverAllOfAFrameAlthoughAPollEndsInTheMiddleForTime(@TempDir final Path folder)
    {
        final Path file = folder.resolve("frames");
        final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
        try (ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST))
        {
            peer.change(() ->
            {
                final ModelLog log = cluster.createTopic("metrics", 1, 1).partition(PARTITION).log();
                log.append(BatchTemplate.ofValues("a"));
                log.append(BatchTemplate.empty(0));
                log.append(BatchTemplate.ofValues("c"));
            });
            final int[] count = {0};
            try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext().bootstrapServers(peer.address())
                .topic("metrics").startPosition(StartPosition.earliest()).frameHandler(new FrameCapture(file))))
            {
                while (count[0] < 2)
                {
                    consumer.poll((record) -> count[0]++, 10, 10_000_000);
                }
            }
        }
        final long[] time = {0, 1_000};
        try (CapturedFrames frames = CapturedFrames.open(file); FrameReplay replay =
            new FrameReplay(frames, () -> new ConsumerContext().nanoClock(() -> time[0] += time[1])))
        {
            while (!replay.isDone())
            {
                poll(replay, 1);
                time[1] = 200_000_000;
            }
        }
        assertEquals(List.of(0L, 2L), offsets);
    }

    @Test
    void shouldGoOnAfterAHandlerThatTriesToCloseOrRewind()
    {
        try (FrameReplay replay = new FrameReplay(addBatch(new FrameBuilder("metrics"), 3).build()))
        {
            while (!replay.isDone())
            {
                replay.controlledPoll((record) ->
                {
                    assertThrows(IllegalStateException.class, replay::close);
                    assertThrows(IllegalStateException.class, replay::rewind);
                    return add(record.offset(), record.offset());
                }, 2);
            }
        }
        assertEquals(List.of(0L, 1L, 2L), offsets);
    }

    /** Whatever the policy of the settings is. */
    @Test
    void shouldThrowWhatTheHandlerThrowsAndGoOnWithTheNextFrame()
    {
        final RuntimeException planted = new IllegalArgumentException("planted");
        final FrameBuilder builder = addBatch(new FrameBuilder("metrics"), 3).endFrame();
        try (FrameReplay replay = new FrameReplay(addBatch(builder, 2).build(),
            () -> new ConsumerContext().handlerErrorPolicy(HandlerErrorPolicy.SKIP)))
        {
            final Throwable thrown = assertThrows(ClientException.class, () -> replay.poll((record) ->
            {
                if (record.offset() == 1)
                {
                    throw planted;
                }
                offsets.add(record.offset());
            }, 100));
            assertSame(planted, thrown.getCause());
            while (!replay.isDone())
            {
                poll(replay, 100);
            }
        }
        assertEquals(List.of(0L, 3L, 4L), offsets);
    }

    @Test
    void shouldRefuseWrongSettingsAtEachPollAndRewind()
    {
        try (FrameReplay replay = new FrameReplay(
            addBatch(new FrameBuilder("metrics"), 1).build(), () -> new ConsumerContext().fetchMaxWaitMs(-1)))
        {
            final String refusal =
                assertThrows(IllegalArgumentException.class, () -> poll(replay, 1)).getMessage();

            assertEquals(refusal,
                assertThrows(IllegalArgumentException.class, () -> poll(replay, 1)).getMessage());
            assertEquals(refusal, assertThrows(IllegalArgumentException.class, replay::rewind).getMessage());
            assertEquals(refusal,
                assertThrows(IllegalArgumentException.class, () -> poll(replay, 1)).getMessage());
        }
    }
}
