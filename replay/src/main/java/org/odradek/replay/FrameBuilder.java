// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.TopicName;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordBatchEncoder;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.odradek.protocol.record.RecordBatchEncoder.NO_PRODUCER;

/**
 * Builds frames from records, so that a handler can be tested without a broker and without a capture. A {@link
 * FrameReplay} delivers the records in the order of the calls.
 * <pre>{@code
 *  final CapturedFrames frames = new FrameBuilder("metrics")
 *      .record(0, key, value)
 *      .record(0, key, null)
 *      .build();
 *  try (FrameReplay replay = new FrameReplay(frames))
 *  {
 *      while (!replay.isDone())
 *      {
 *          replay.poll(handler, 1_000);
 *      }
 *  }
 * }</pre>
 * The offsets of a partition begin at 0 and have no gaps, except those of {@link #offset}. Successive records of a
 * partition share a batch of up to 16 KiB before compression; a longer record has a batch of its own. Successive
 * batches of a partition share a frame, which ends when it has 1 MiB. One thread may use a builder.
 */
public final class FrameBuilder
{
    private static final int BATCH_LENGTH = 16 * 1024;
    private static final int FRAME_LENGTH = 1024 * 1024;
    private static final int FRAMING_LENGTH = 256;
    private static final int MAX_PARTITION = WireLimits.MAX_PARTITIONS - 1;
    private static final long MAX_OFFSET = Long.MAX_VALUE / 2;
    private static final int NO_REPLICA = -1;
    private static final int FIRST_LEADER_EPOCH = 0;

    private final String topic;
    private final List<BuiltFrame> frames = new ArrayList<>();
    private final Map<Integer, Long> nextOffsets = new HashMap<>();
    private final RecordBatchEncoder batch = new RecordBatchEncoder();
    private boolean isBatchOpen;
    private int compressionType = CompressionType.NONE;
    private long timestampMs;
    private int partition;
    private long fetchOffset;
    private final List<byte[]> batches = new ArrayList<>();
    private int batchesLength;

    /**
     * Creates a builder without frames.
     *
     * @param topic the topic name.
     * @throws IllegalArgumentException if no topic can have this name.
     */
    public FrameBuilder(final String topic)
    {
        TopicName.check(topic);
        this.topic = topic;
    }

    /**
     * Sets how later batches are compressed, and ends the current batch. By default batches are not compressed. A batch
     * that would not become shorter is not compressed.
     *
     * @param type one of the constants of {@link CompressionType}.
     * @return this builder.
     * @throws IllegalArgumentException if there is no such compression type.
     */
    public FrameBuilder compressionType(final int type)
    {
        if (type < CompressionType.NONE || type > CompressionType.ZSTD)
        {
            throw new IllegalArgumentException("compressionType is " + type + ": it must be " + CompressionType.NONE +
                " (none) to " + CompressionType.ZSTD + " (zstd)");
        }
        endBatch();
        compressionType = type;
        return this;
    }

    /**
     * Sets the timestamp of later records; the default is 0.
     *
     * @param epochMs the timestamp in milliseconds since 1970.
     * @return this builder.
     * @throws IllegalArgumentException if the timestamp is negative.
     */
    public FrameBuilder timestamp(final long epochMs)
    {
        if (epochMs < 0)
        {
            throw new IllegalArgumentException("the timestamp is " + epochMs + ": it must be 0 or more");
        }
        timestampMs = epochMs;
        return this;
    }

    /**
     * Sets the offset of the next record of a partition, and so leaves a gap as compaction does.
     *
     * @param ofPartition the partition id, 0 to 99,999.
     * @param nextOffset  the offset, from the next offset of the partition to 2^62 - 1.
     * @return this builder.
     * @throws IllegalArgumentException if the partition or the offset is not possible.
     */
    public FrameBuilder offset(final int ofPartition, final long nextOffset)
    {
        checkPartition(ofPartition);
        final long least = nextOffset(ofPartition);
        if (nextOffset < least || nextOffset > MAX_OFFSET)
        {
            throw new IllegalArgumentException("the next offset of partition " + ofPartition + " is " + nextOffset +
                ": it must be " + least + " to " + MAX_OFFSET);
        }
        if (ofPartition == partition)
        {
            endBatch();
        }
        nextOffsets.put(ofPartition, nextOffset);
        return this;
    }

    /**
     * Adds a record without headers.
     *
     * @param ofPartition the partition id, 0 to 99,999.
     * @param key         the key, or null.
     * @param value       the value, or null for a tombstone.
     * @return this builder.
     */
    public FrameBuilder record(final int ofPartition, final byte[] key, final byte[] value)
    {
        return record(ofPartition, key, value, Map.of());
    }

    /**
     * Adds a record.
     *
     * @param ofPartition the partition id, 0 to 99,999.
     * @param key         the key, or null.
     * @param value       the value, or null for a tombstone.
     * @param headers     the headers by name, in the order of the map; a value may be null.
     * @return this builder.
     */
    public FrameBuilder record(
        final int ofPartition, final byte[] key, final byte[] value, final Map<String, byte[]> headers)
    {
        checkPartition(ofPartition);
        if (ofPartition != partition)
        {
            endFrame();
            partition = ofPartition;
        }
        int headersLength = 0;
        for (final Map.Entry<String, byte[]> header : headers.entrySet())
        {
            headersLength += RecordBatchEncoder.headerLength(utf8(header.getKey()).length, length(header.getValue()));
        }
        beginBatch(length(key), length(value), headersLength);
        final int valueIndex = batch.claim(timestampMs, length(key), length(value), headers.size(), headersLength);
        final UnsafeBuffer memory = batch.memory().buffer();
        memory.putBytes(batch.keyIndex(), bytes(key));
        memory.putBytes(valueIndex, bytes(value));
        headers.forEach(this::addHeader);
        batch.commit();
        nextOffsets.put(partition, nextOffset(partition) + 1);
        return this;
    }

    private static void checkPartition(final int partition)
    {
        if (partition < 0 || partition > MAX_PARTITION)
        {
            throw new IllegalArgumentException(
                "the partition is " + partition + ": it must be 0 to " + MAX_PARTITION);
        }
    }

    private long nextOffset(final int ofPartition)
    {
        return nextOffsets.getOrDefault(ofPartition, 0L);
    }

    private void addHeader(final String name, final byte[] value)
    {
        final byte[] key = utf8(name);
        batch.header(new UnsafeBuffer(key), 0, key.length, new UnsafeBuffer(bytes(value)), 0, length(value));
    }

    private static byte[] utf8(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(final byte[] nullable)
    {
        return nullable == null ? new byte[0] : nullable;
    }

    private static int length(final byte[] nullable)
    {
        return nullable == null ? RecordBatchEncoder.NULL_LENGTH : nullable.length;
    }

    private void beginBatch(final int keyLength, final int valueLength, final int headersLength)
    {
        if (isBatchOpen && !batch.hasRoom(keyLength, valueLength, headersLength))
        {
            endBatch();
        }
        if (!isBatchOpen)
        {
            final long least = RecordBatchFlyweight.HEADER_LENGTH +
                RecordBatchEncoder.maxRecordLength(keyLength, valueLength, headersLength);
            final int capacity = Math.toIntExact(Math.max(BATCH_LENGTH, least));
            batch.begin(new RecordMemory(capacity), 0, capacity);
            isBatchOpen = true;
            fetchOffset = batches.isEmpty() ? nextOffset(partition) : fetchOffset;
        }
    }

    /**
     * Ends the current batch. Does nothing if the batch has no record.
     *
     * @return this builder.
     */
    public FrameBuilder endBatch()
    {
        if (isBatchOpen)
        {
            final RecordMemory memory = batch.memory();
            final long baseOffset = nextOffset(partition) - batch.recordCount();
            if (compressionType != CompressionType.NONE)
            {
                compress();
            }
            final byte[] bytes = new byte[batch.seal(NO_PRODUCER, (short)NO_PRODUCER, NO_PRODUCER)];
            memory.buffer().putLong(RecordBatchFlyweight.BASE_OFFSET_FIELD_OFFSET, baseOffset, BIG_ENDIAN);
            memory.buffer().putInt(
                RecordBatchFlyweight.PARTITION_LEADER_EPOCH_FIELD_OFFSET, FIRST_LEADER_EPOCH, BIG_ENDIAN);
            memory.buffer().getBytes(0, bytes);
            memory.free();
            isBatchOpen = false;
            batches.add(bytes);
            batchesLength += bytes.length;
            if (batchesLength >= FRAME_LENGTH)
            {
                endFrame();
            }
        }
        return this;
    }

    private void compress()
    {
        final byte[] records = new byte[batch.recordsLength()];
        batch.memory().buffer().getBytes(batch.recordsIndex(), records);
        final byte[] compressed = BatchCompressor.compress(compressionType, records);
        if (compressed.length < records.length)
        {
            batch.replaceRecords(compressionType, new UnsafeBuffer(compressed), compressed.length);
        }
    }

    /**
     * Ends the current frame. Does nothing if the frame has no record.
     *
     * @return this builder.
     */
    public FrameBuilder endFrame()
    {
        endBatch();
        if (!batches.isEmpty())
        {
            frames.add(frame());
            batches.clear();
            batchesLength = 0;
        }
        return this;
    }

    private BuiltFrame frame()
    {
        final long end = nextOffset(partition);
        final UnsafeBuffer frame = new UnsafeBuffer(new byte[batchesLength + FRAMING_LENGTH]);
        final WireWriter writer = new WireWriter().wrap(frame, 0, true)
            .int32(0).int32(0).noTags()
            .int32(0).int16(0).int32(0)
            .arrayCount(1).uuid(1, 1).arrayCount(1)
            .int32(partition).int16(0).int64(end).int64(end).int64(0)
            .uvarint(0).int32(NO_REPLICA).uvarint(batchesLength + 1);
        int index = writer.index();
        for (final byte[] bytes : batches)
        {
            frame.putBytes(index, bytes);
            index += bytes.length;
        }
        final int length = writer.wrap(frame, index, true).noTags().noTags().noTags().index();
        frame.putInt(0, length - Integer.BYTES, BIG_ENDIAN);
        return new BuiltFrame(frame, length, partition, fetchOffset);
    }

    /**
     * Ends the current frame, and returns all frames that were built so far. The caller need not close them.
     *
     * @throws IllegalStateException if all frames together are longer than 2 GiB.
     */
    public CapturedFrames build()
    {
        endFrame();
        long length = CaptureFileDescriptor.entriesIndex(utf8(topic).length);
        for (final BuiltFrame frame : frames)
        {
            length += CaptureFileDescriptor.entryLength(1, frame.length);
        }
        if (length > Integer.MAX_VALUE)
        {
            throw new IllegalStateException("The frames take " + length + " bytes: 2 GiB is the most.");
        }
        final ByteBuffer memory = ByteBuffer.allocateDirect((int)length);
        final FrameCapture capture = new FrameCapture(memory, topic);
        frames.forEach(capture::onFrame);
        return CapturedFrames.of(memory);
    }

    private record BuiltFrame(DirectBuffer buffer, int length, int partition, long fetchOffset)
        implements FetchFrameHandler.Frame
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
            return partition;
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
