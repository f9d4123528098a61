// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Varint;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * The built-in frames of a warm-up: many with one record, as from a topic whose end has been reached, and a few with
 * several batches, as from a backlog. They hold records of six shapes, uncompressed and in each requested codec:
 * without and with a key, with lengths of two and of three bytes, with headers, and without a value. Cold.
 */
final class WarmUpFrames
{
    static final long TIMESTAMP_MS = 1_000_000_000_000L;

    private static final String TOPIC = "warm-up";
    private static final int[] KEY_LENGTHS = {-1, 8, 16, 16, 8, 8};
    private static final int[] VALUE_LENGTHS = {12, 40, 200, 20_000, 60, -1};
    private static final int[] HEADER_COUNTS = {0, 0, 0, 0, 2, 0};
    private static final int SHAPES = KEY_LENGTHS.length;
    private static final int MAX_RECORD_LENGTH = 20_100;
    private static final int MAX_BATCH_RECORDS = 1_000;
    private static final int SMALL_FRAMES = 48;
    private static final int BATCHES_PER_FRAME = 3;
    private static final int BATCH_LENGTH = 16 * 1024;
    private static final int FRAMING_LENGTH = 256;
    private static final int NO_REPLICA = -1;
    private static final byte[] TEXT =
        "cpu.user 17 region=eu web-23 ".repeat(MAX_RECORD_LENGTH / 29).getBytes(StandardCharsets.US_ASCII);

    private final FrameCapture capture;
    private final UnsafeBuffer record = new UnsafeBuffer(new byte[MAX_RECORD_LENGTH]);
    private final UnsafeBuffer records = new UnsafeBuffer(new byte[2 * MAX_RECORD_LENGTH]);
    private long nextOffset;

    private WarmUpFrames(final FrameCapture capture)
    {
        this.capture = capture;
    }

    static CapturedFrames make(final int... codecs)
    {
        final int largeFrames = SHAPES * (1 + codecs.length);
        final ByteBuffer memory = ByteBuffer.allocateDirect(
            (SMALL_FRAMES + largeFrames) * 2 * FRAMING_LENGTH + SMALL_FRAMES * 2 * MAX_RECORD_LENGTH +
            largeFrames * BATCHES_PER_FRAME * 2 * (BATCH_LENGTH + MAX_RECORD_LENGTH));
        final WarmUpFrames made = new WarmUpFrames(new FrameCapture(memory, TOPIC));
        for (int i = 0; i < SMALL_FRAMES; i++)
        {
            made.add(i % SHAPES, CompressionType.NONE, 1, 1);
        }
        for (int shape = 0; shape < SHAPES; shape++)
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
            batches[i] = batch(shape, codec, batchLength);
            length += batches[i].length;
        }
        final UnsafeBuffer frame = new UnsafeBuffer(new byte[length + FRAMING_LENGTH]);
        final int frameLength = write(frame, batches, length);
        if (!capture.onFrame(new Frame(frame, frameLength, fetchOffset)))
        {
            throw new IllegalStateException("there is no room for a frame of " + frameLength + " bytes");
        }
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

    /** A batch of at least one record and of at least {@code minLength} bytes before compression. */
    private byte[] batch(final int shape, final int codec, final int minLength)
    {
        int length = 0;
        int count = 0;
        do
        {
            length = addRecord(shape, count++, length);
        }
        while (length < minLength && count < MAX_BATCH_RECORDS);
        final byte[] plain = Arrays.copyOf(records.byteArray(), length);
        final byte[] stored = codec == CompressionType.NONE ? plain : BatchCompressor.compress(codec, plain);
        final byte[] bytes = new byte[RecordBatchFlyweight.HEADER_LENGTH + stored.length];
        final ByteBuffer batch = ByteBuffer.wrap(bytes);
        batch.putLong(nextOffset).putInt(bytes.length - RecordBatchFlyweight.LENGTH_OVERHEAD)
            .putInt(0).put((byte)2).putInt(0).putShort((short)codec).putInt(count - 1)
            .putLong(TIMESTAMP_MS).putLong(TIMESTAMP_MS)
            .putLong(-1).putShort((short)-1).putInt(-1).putInt(count)
            .put(stored);
        final CRC32C crc = new CRC32C();
        crc.update(bytes, RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET,
            bytes.length - RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET);
        batch.putInt(RecordBatchFlyweight.CRC_FIELD_OFFSET, (int)crc.getValue());
        nextOffset += count;
        return bytes;
    }

    private int addRecord(final int shape, final int offsetDelta, final int recordsLength)
    {
        record.putByte(0, (byte)0);
        int index = varint(record, 1, 0);
        index = varint(record, index, offsetDelta);
        index = text(index, KEY_LENGTHS[shape]);
        index = text(index, VALUE_LENGTHS[shape]);
        index = varint(record, index, HEADER_COUNTS[shape]);
        for (int i = 0; i < HEADER_COUNTS[shape]; i++)
        {
            index = text(index, 2 + i);
            index = text(index, 10 - 11 * i);
        }
        final int bodyIndex = varint(records, recordsLength, index);
        records.putBytes(bodyIndex, record, 0, index);
        return bodyIndex + index;
    }

    private int text(final int index, final int length)
    {
        final int from = varint(record, index, length);
        record.putBytes(from, TEXT, 0, Math.max(0, length));
        return from + Math.max(0, length);
    }

    private static int varint(final UnsafeBuffer buffer, final int index, final int value)
    {
        return index + Varint.writeVarint(buffer, index, buffer.capacity(), value);
    }

    /** A frame of partition 0. */
    private record Frame(DirectBuffer buffer, int length, long fetchOffset) implements FetchFrameHandler.Frame
    {
        @Override
        public int nodeId()
        {
            return ReplayAnswers.NODE_ID;
        }

        @Override
        public int fetchVersion()
        {
            return ApiKey.FETCH.maxVersion();
        }

        @Override
        public long topicIdMostSignificantBits()
        {
            return 1;
        }

        @Override
        public long topicIdLeastSignificantBits()
        {
            return 1;
        }

        @Override
        public int partitionCount()
        {
            return 1;
        }

        @Override
        public int partition(final int i)
        {
            return 0;
        }

        @Override
        public long requestedOffset(final int i)
        {
            return fetchOffset;
        }

        @Override
        public int index()
        {
            return 0;
        }
    }
}
