// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.ConsumerContext;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Rewinds in the middle of a frame, and settings that are refused.
 */
@Timeout(60)
final class FrameReplayTest
{
    private static final int PARTITION = 0;

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
