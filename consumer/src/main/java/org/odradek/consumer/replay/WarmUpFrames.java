// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.consumer.capture.CapturedFrames;
import org.odradek.consumer.capture.FrameCapture;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.record.CompressionType;

import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * The built-in frames: many with one record, as a topic gives that is caught up with, and a few with several batches,
 * as one gives that is not; each shape of record, plain and by each codec that is wanted. Cold.
 */
final class WarmUpFrames
{
    private static final String TOPIC = "warm-up";
    private static final int SMALL_FRAMES = 48;
    private static final int BATCHES_PER_FRAME = 3;
    private static final int BATCH_LENGTH = 16 * 1024;
    private static final int FRAMING_LENGTH = 256;
    private static final int NO_REPLICA = -1;

    private final int version = ApiKey.FETCH.maxVersion();
    private final FrameCapture capture;
    private long nextOffset;

    private WarmUpFrames(final FrameCapture capture)
    {
        this.capture = capture;
    }

    static CapturedFrames make(final int... codecs)
    {
        final int largeFrames = WarmUpBatch.SHAPES * (1 + codecs.length);
        final ByteBuffer memory = ByteBuffer.allocateDirect(
            (SMALL_FRAMES + largeFrames) * 2 * FRAMING_LENGTH + SMALL_FRAMES * 2 * WarmUpBatch.MAX_RECORD_LENGTH +
            largeFrames * BATCHES_PER_FRAME * 2 * (BATCH_LENGTH + WarmUpBatch.MAX_RECORD_LENGTH));
        final WarmUpFrames made = new WarmUpFrames(FrameCapture.into(memory, TOPIC));
        for (int i = 0; i < SMALL_FRAMES; i++)
        {
            made.add(i % WarmUpBatch.SHAPES, CompressionType.NONE, 1, 1);
        }
        for (int shape = 0; shape < WarmUpBatch.SHAPES; shape++)
        {
            made.add(shape, CompressionType.NONE, BATCHES_PER_FRAME, BATCH_LENGTH);
            for (final int codec : codecs)
            {
                made.add(shape, codec, BATCHES_PER_FRAME, BATCH_LENGTH);
            }
        }
        return CapturedFrames.of(memory);
    }

    private void add(final int shape, final int codec, final int batchCount, final int batchLength)
    {
        final long fetchOffset = nextOffset;
        final byte[][] batches = new byte[batchCount][];
        int length = 0;
        for (int i = 0; i < batchCount; i++)
        {
            final WarmUpBatch batch = new WarmUpBatch(nextOffset, shape, codec, batchLength);
            batches[i] = batch.bytes();
            length += batches[i].length;
            nextOffset += batch.recordCount();
        }
        final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(length + FRAMING_LENGTH));
        final int frameLength = write(frame, batches, length);
        if (!capture.begin(ReplayAnswers.NODE_ID, version, 1, frameLength))
        {
            throw new IllegalStateException("no room for a frame of " + frameLength + " bytes");
        }
        capture.topicId(1, 1);
        capture.set(0, fetchOffset);
        capture.end(frame, 0);
    }

    private int write(final UnsafeBuffer frame, final byte[][] batches, final int length)
    {
        final WireWriter writer = new WireWriter().wrap(frame, 0, true)
            .int32(0).int32(0).noTags()
            .int32(0).int16(0).int32(0)
            .arrayCount(1).uuid(1, 1).arrayCount(1)
            .int32(0).int16(0).int64(nextOffset).int64(nextOffset).int64(0)
            .uvarint(0).int32(NO_REPLICA).uvarint(length + 1);
        int index = writer.index();
        for (final byte[] batch : batches)
        {
            frame.putBytes(index, batch);
            index += batch.length;
        }
        final int end = writer.wrap(frame, index, true).noTags().noTags().noTags().index();
        frame.putInt(0, end - Integer.BYTES, BIG_ENDIAN);
        return end;
    }
}
