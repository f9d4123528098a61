// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples.profile;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameReplay;
import org.odradek.testkit.AllocationMeter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Counts what a handler allocates while all frames are replayed, in a unit test. */
class YourHandlerTest
{
    private static final int RUNS = 50;
    private static final int BYTES_OF_A_LONG_ARRAY = 24;

    private long[] kept;
    private int runs;

    @Test
    void shouldAllocateNothing()
    {
        final YourHandler handler = new YourHandler();

        assertEquals(0, leastBytes(handler));
        assertTrue(handler.records() > 0 && handler.total() != 0, handler.records() + " " + handler.total());
    }

    @Test
    void shouldSeeAnAllocationForEachRecord()
    {
        final YourHandler handler = new YourHandler();

        final long bytes = leastBytes((record) ->
        {
            handler.onRecord(record);
            kept = new long[1];
        });

        assertEquals(BYTES_OF_A_LONG_ARRAY * handler.records() / runs, bytes);
        assertEquals(1, kept.length);
    }

    /** Returns the fewest bytes that a pass over all frames has allocated. */
    private long leastBytes(final RecordHandler handler)
    {
        try (CapturedFrames frames = Frames.open(""); FrameReplay replay = new FrameReplay(frames))
        {
            return new AllocationMeter().leastBytes(RUNS, () ->
            {
                runs++;
                while (!replay.isDone())
                {
                    replay.poll(handler, 1_000);
                }
                replay.rewind();
            });
        }
    }
}
