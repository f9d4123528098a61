// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.odradek.protocol.record.CompressionType;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The built-in frames of a warm-up: many frames with one record, and a few frames with several batches, uncompressed
 * and with each requested compression type. The records have six shapes of keys, values and headers.
 */
final class WarmUpFrames
{
    static final long TIMESTAMP_MS = 1_000_000_000_000L;

    private static final String TOPIC = "warm-up";
    private static final int[] KEY_LENGTHS = {-1, 8, 16, 16, 8, 8};
    private static final int[] VALUE_LENGTHS = {12, 40, 200, 20_000, 60, -1};
    private static final int[] HEADER_COUNTS = {0, 0, 0, 0, 2, 0};
    private static final int SHAPES = KEY_LENGTHS.length;
    private static final int SMALL_FRAMES = 48;
    private static final int FRAME_LENGTH = 48 * 1024;
    private static final int OVERHEAD_LENGTH = 16;
    private static final String TEXT = "cpu.user 17 region=eu web-23 ".repeat(700);

    private WarmUpFrames()
    {
    }

    static CapturedFrames make(final int... compressionTypes)
    {
        final FrameBuilder frames = new FrameBuilder(TOPIC).timestamp(TIMESTAMP_MS);
        for (int i = 0; i < SMALL_FRAMES; i++)
        {
            addRecord(frames, i % SHAPES).endFrame();
        }
        for (int shape = 0; shape < SHAPES; shape++)
        {
            addFrame(frames.compressionType(CompressionType.NONE), shape);
            for (final int type : compressionTypes)
            {
                addFrame(frames.compressionType(type), shape);
            }
        }
        return frames.build();
    }

    private static void addFrame(final FrameBuilder frames, final int shape)
    {
        final int recordLength =
            OVERHEAD_LENGTH + Math.max(0, KEY_LENGTHS[shape]) + Math.max(0, VALUE_LENGTHS[shape]);
        for (int length = 0; length < FRAME_LENGTH; length += recordLength)
        {
            addRecord(frames, shape);
        }
        frames.endFrame();
    }

    private static FrameBuilder addRecord(final FrameBuilder frames, final int shape)
    {
        final Map<String, byte[]> headers = new LinkedHashMap<>();
        for (int i = 0; i < HEADER_COUNTS[shape]; i++)
        {
            headers.put(TEXT.substring(0, 2 + i), text(10 - 11 * i));
        }
        return frames.record(0, text(KEY_LENGTHS[shape]), text(VALUE_LENGTHS[shape]), headers);
    }

    private static byte[] text(final int length)
    {
        return length < 0 ? null : TEXT.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }
}
