// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.AllocationMeter;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads the built-in frames with an unchanged consumer.
 */
final class WarmUpTest
{
    private static final int[] CODECS =
        {CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD};
    private static final int WINDOWS = 40;
    private static final int PASSES_PER_WINDOW = 2;
    private static final int CAPTURE_LIMIT = 128 << 20;

    private final Set<String> shapes = new HashSet<>();
    private final RecordHandler counting = (record) -> this.records++;
    private long records;
    private long batches;
    private long nextOffset;
    private long passes;

    private void onRecord(final Record record)
    {
        assertEquals(nextOffset++, record.offset());
        assertEquals(0, record.partition());
        assertEquals(WarmUp.TIMESTAMP_MS, record.timestamp());
        if (records++ < 100_000)
        {
            shapes.add(record.keyLength() + " " + record.valueLength() + " " + record.headers().next());
        }
    }

    private static Supplier<ConsumerContext> strict()
    {
        return () -> new ConsumerContext().errorHandler((error) ->
        {
            throw new AssertionError("the error handler was called: " + error.getMessage(), error);
        });
    }

    @Test
    void shouldDeliverEveryShapeByEveryCodecInOrder()
    {
        try (CapturedFrames frames = WarmUpFrames.make(CODECS);
            FrameReplay replay = new FrameReplay(frames, strict()))
        {
            while (!replay.isDone())
            {
                replay.poll(this::onRecord, 100);
            }
        }

        assertEquals(Set.of("-1 12 false", "8 40 false", "16 200 false", "16 20000 false", "8 60 true", "8 -1 false"),
            shapes);
        assertTrue(records > 10_000, "records " + records);
    }

    @Test
    void shouldDeliverAsManyRecordsAsRequested()
    {
        final long[] seen = new long[1];

        final long delivered = new WarmUp().settings(strict()).run((record) -> seen[0]++, 100_000);

        assertTrue(delivered >= 100_000, "delivered " + delivered);
        assertEquals(delivered, seen[0]);
        assertEquals(2 * delivered, delivered + new WarmUp().settings(strict()).runControlled((record) ->
        {
            seen[0]--;
            return Action.CONTINUE;
        }, delivered));
        assertEquals(0, seen[0]);
        assertTrue(new WarmUp().settings(strict()).compressionTypes(CODECS).runBatches((batch) ->
        {
            batches++;
            return Action.CONTINUE;
        }, 1_000) >= 1_000);
        assertTrue(batches >= 1_000, "batches " + batches);
    }

    @Test
    void shouldRefuseAWarmUpOfNothing()
    {
        final IllegalArgumentException ex =
            assertThrows(IllegalArgumentException.class, () -> new WarmUp().run(this::onRecord, 0));

        assertEquals("the warm-up is to deliver 0 records: it must be 1 or more", ex.getMessage());
    }

    @Test
    void shouldContinueAtARefusedRecord()
    {
        try (CapturedFrames frames = WarmUpFrames.make();
            FrameReplay replay = new FrameReplay(frames, strict()))
        {
            final long[] refusals = new long[1];
            while (!replay.isDone())
            {
                replay.controlledPoll((record) ->
                {
                    if (record.offset() % 10 == 0 && refusals[0]++ % 3 != 2)
                    {
                        return Action.ABORT;
                    }
                    onRecord(record);
                    return Action.CONTINUE;
                }, 1_000);
            }

            assertEquals(3 * ((nextOffset + 9) / 10), refusals[0]);
            assertEquals(nextOffset, records);
        }
    }

    /** Allocation of the consumer would show in every window; allocation of the compilers does not. */
    @Test
    void shouldAllocateNothingWhileFramesAreReplayedAndCaptured(@TempDir final Path folder)
    {
        final Path file = folder.resolve("frames");
        final boolean[] isFull = new boolean[1];
        try (CapturedFrames frames = WarmUpFrames.make(CompressionType.LZ4))
        {
            try (FrameReplay replay = new FrameReplay(frames, () -> strict().get()
                .frameHandler(new FrameCapture(file, CAPTURE_LIMIT))
                .listener(new ConsumerListener()
                {
                    @Override
                    public void onCaptureFull(final Path name, final long count, final long bytes)
                    {
                        isFull[0] = true;
                    }
                })))
            {
                final long bytes = new AllocationMeter().leastBytes(WINDOWS, () ->
                {
                    for (int pass = 0; pass < PASSES_PER_WINDOW; pass++)
                    {
                        replayAll(replay);
                    }
                });
                assertEquals(0, bytes);
            }
            assertFalse(isFull[0]);
            try (CapturedFrames captured = CapturedFrames.open(file))
            {
                final long expected = passes * frames.count();
                // Each pass over the frames begins with an empty response.
                assertTrue(captured.count() > expected, captured.count() + " of " + expected);
                assertFalse(captured.isTorn());
            }
        }
    }

    private void replayAll(final FrameReplay replay)
    {
        nextOffset = 0;
        while (!replay.isDone())
        {
            replay.poll(counting, 1_000);
        }
        replay.rewind();
        passes++;
    }
}
