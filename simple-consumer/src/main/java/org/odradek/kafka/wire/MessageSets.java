// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.api.FetchResponsePartitionData;
import org.odradek.kafka.blocking.BlockingConnection;
import org.odradek.kafka.javaapi.message.ByteBufferMessageSet;
import org.odradek.kafka.message.Message;
import org.odradek.kafka.message.MessageAndOffset;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.compression.CodecUnavailableException;
import org.odradek.protocol.compression.Decompressor;
import org.odradek.protocol.compression.OutputLimitException;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.LegacyMessageSet;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts record sets of every format and codec to lists of messages, which hold copies of the bytes. A call returns
 * as many whole batches as fit into a quarter of the heap, or an error if the first batch does not fit.
 */
final class MessageSets
{
    private static final int FIRST_LENGTH = 1 << 16;
    private static final long ALLOWED_BYTES = Runtime.getRuntime().maxMemory() / 4;
    private static final int MAX_LENGTH = (int)Math.max(FIRST_LENGTH, Math.min(1 << 28, ALLOWED_BYTES));
    private static final int MIN_RECORD_LENGTH = 7;
    private static final int MESSAGE_LENGTH = 200;
    private static final int NO_PARTITION = -1;
    private static final long NO_HIGH_WATERMARK = -1;

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final LegacyMessageFlyweight legacy = new LegacyMessageFlyweight();
    private final LegacyMessageSet legacySet = new LegacyMessageSet();
    private final RecordFlyweight record = new RecordFlyweight();
    private Decompressor decompressor;
    private RecordMemory decompressed;

    private long allowedBytes;
    private boolean hasMessages;
    private long batchBytes;
    private ByteBuffer bytes;
    private int bytesIndex;
    private byte magic;
    private long nextOffset;
    private List<MessageAndOffset> messages;

    /**
     * The messages of a partition.
     *
     * @param nextOffset        the offset after all batches that were read; the requested offset if there is none.
     * @param isWithoutMessages true if the set is readable and has complete batches, but no requested message.
     * @param isAnswer          true if there are requested messages, or an error.
     * @param isLeftOut         true if the response does not have the partition.
     * @param bytes             the used heap.
     */
    record Fetched(
        FetchResponsePartitionData data,
        long nextOffset,
        boolean isWithoutMessages,
        boolean isAnswer,
        boolean isLeftOut,
        long bytes)
    {
    }

    private static final class HeapLimitException extends RuntimeException
    {
        private static final long serialVersionUID = 1;

        HeapLimitException(final long limit)
        {
            super("its batch needs more than " + limit + " bytes of the heap" +
                (limit == ALLOWED_BYTES ? ", a quarter of it: raise -Xmx" : ""));
        }
    }

    /** Returns the data of a partition that a response leaves out: an error, unless the broker throttles. */
    static Fetched leftOut(final long offset, final boolean isThrottled)
    {
        return new Fetched(new FetchResponsePartitionData(
            isThrottled ? ErrorCode.NONE : ErrorCode.UNKNOWN_SERVER_ERROR, NO_HIGH_WATERMARK,
            new ByteBufferMessageSet(ByteBuffer.allocate(0), 0, List.of(), null)),
            offset, false, !isThrottled, true, 0);
    }

    void begin()
    {
        allowedBytes = ALLOWED_BYTES;
        hasMessages = false;
    }

    void drop(final Fetched fetched)
    {
        allowedBytes += fetched.bytes();
    }

    Fetched read(final RecordMemory memory, final FetchResponseFlyweight response, final long offset)
    {
        final long allowedBefore = allowedBytes;
        final int start = response.recordsIndex();
        final int length = allowedLength(memory, start, response.recordsLength());
        final ByteBuffer set = copy(memory, start, start + length);
        allowedBytes -= length;
        messages = new ArrayList<>();
        nextOffset = offset;
        int index = start;
        String flaw = null;
        try
        {
            int end = readBatch(memory, set, start, index, start + length);
            while (end > index)
            {
                index = end;
                allowedBytes -= batchBytes;
                end = readBatch(memory, set, start, index, start + length);
            }
            checkFits(index > start || length == response.recordsLength());
        }
        catch (final HeapLimitException ex)
        {
            // The rest is as if the fetch size had cut it off, before a batch.
            set.limit(index - start);
            flaw = isFirst() ? ex.getMessage() : null;
        }
        catch (final WireFormatException | CodecUnavailableException ex)
        {
            flaw = ex.getMessage();
        }
        final String text = flaw == null ? null :
            "Partition " + response.partition() + " cannot be read at offset " + nextOffset + ": " + flaw;
        final FetchResponsePartitionData data = new FetchResponsePartitionData(response.partitionErrorCode(),
            response.highWatermark(), new ByteBufferMessageSet(set, index - start, messages, text));
        final boolean hasRequested = !messages.isEmpty() && messages.get(messages.size() - 1).offset() >= offset;
        hasMessages |= hasRequested;
        final boolean isAnswer = hasRequested || flaw != null;
        return new Fetched(data, nextOffset, !isAnswer && nextOffset > offset,
            isAnswer || response.partitionErrorCode() != ErrorCode.NONE, false, allowedBefore - allowedBytes);
    }

    private int allowedLength(final RecordMemory memory, final int start, final int length)
    {
        final int half = (int)Math.max(0, Math.min(length, allowedBytes / 2));
        return hasMessages || batch.wrap(memory, start, start + half) == RecordBatchFlyweight.COMPLETE ? half :
            (int)Math.min(length, ALLOWED_BYTES);
    }

    private boolean isFirst()
    {
        return !hasMessages && messages.isEmpty();
    }

    private void use(final long bytes)
    {
        batchBytes += bytes;
        checkFits(batchBytes <= (isFirst() ? ALLOWED_BYTES : allowedBytes));
    }

    private static void checkFits(final boolean isFitting)
    {
        if (!isFitting)
        {
            throw new HeapLimitException(ALLOWED_BYTES);
        }
    }

    /** Returns the index of the next batch; the index itself if this batch is cut off. */
    private int readBatch(
        final RecordMemory memory, final ByteBuffer set, final int start, final int index, final int limit)
    {
        bytes = set;
        bytesIndex = start;
        batchBytes = 0;
        switch (batch.wrap(memory, index, limit))
        {
            case RecordBatchFlyweight.COMPLETE:
                readBatch(memory);
                return batch.limit();
            case RecordBatchFlyweight.LEGACY:
                return readLegacy(memory, index, limit);
            case RecordBatchFlyweight.CUT_OFF:
                return index;
            default:
                throw new WireFormatException(batch.flaw());
        }
    }

    private void readBatch(final RecordMemory memory)
    {
        if (batch.computeCrc() != batch.crc())
        {
            throw new WireFormatException("the batch at offset " + batch.baseOffset() + " fails its CRC");
        }
        if (!batch.isControl())
        {
            magic = batch.magic();
            final int index = batch.recordsIndex();
            int length = batch.limit() - index;
            if (batch.compressionType() == CompressionType.NONE || batch.recordCount() == 0)
            {
                record.wrap(batch, memory, index, batch.limit(), NO_PARTITION);
            }
            else
            {
                length = decompress(memory, batch.compressionType(), index, length);
                record.wrap(batch, decompressed, 0, length, NO_PARTITION);
            }
            use((long)MESSAGE_LENGTH * Math.min(batch.recordCount(), length / MIN_RECORD_LENGTH));
            addRecords();
        }
        advanceAfter(batch.lastOffset());
    }

    private int readLegacy(final RecordMemory memory, final int index, final int limit)
    {
        final int status = legacy.wrap(memory, index, limit);
        if (status == LegacyMessageFlyweight.CUT_OFF)
        {
            return index;
        }
        if (status == LegacyMessageFlyweight.MALFORMED)
        {
            throw new WireFormatException(legacy.flaw());
        }
        if (legacy.computeCrc() != legacy.crc())
        {
            throw new WireFormatException("the message at offset " + legacy.offset() + " fails its CRC");
        }
        magic = legacy.magic();
        if (legacy.compressionType() == CompressionType.NONE)
        {
            use(MESSAGE_LENGTH);
            record.wrapLegacy(legacy, memory, index, legacy.limit(), 0, NO_PARTITION);
        }
        else
        {
            readCompressedLegacy(memory);
        }
        addRecords();
        advanceAfter(legacy.offset());
        return legacy.limit();
    }

    private void readCompressedLegacy(final RecordMemory memory)
    {
        if (legacy.valueLength() <= 0)
        {
            throw new WireFormatException("the compressed message at offset " + legacy.offset() + " has no value");
        }
        final int length = decompress(memory, legacy.compressionType(), legacy.valueIndex(), legacy.valueLength());
        long last = LegacyMessageSet.NULL_OFFSET;
        legacySet.wrap(decompressed, 0, length, 0);
        while (legacySet.next())
        {
            last = legacySet.offset();
            use(MESSAGE_LENGTH);
        }
        final boolean isRelative = magic == Message.MagicValue_V1() && legacy.offset() != 0;
        if (legacySet.flaw() != null || last == LegacyMessageSet.NULL_OFFSET || isRelative && last > legacy.offset())
        {
            throw new WireFormatException("the compressed message at offset " + legacy.offset() + " holds " +
                (legacySet.flaw() != null ? legacySet.flaw() : "messages up to offset " + last));
        }
        record.wrapLegacy(legacy, decompressed, 0, length, isRelative ? legacy.offset() - last : 0, NO_PARTITION);
    }

    private int decompress(final RecordMemory memory, final int codec, final int index, final int length)
    {
        if (decompressor == null)
        {
            decompressor = new Decompressor(FIRST_LENGTH, MAX_LENGTH, BlockingConnection::findRoom);
        }
        try
        {
            final int found = decompressor.decompress(codec, magic, memory.byteBuffer(), index, length);
            decompressed = new RecordMemory(decompressor.output());
            use(found);
            bytes = copy(decompressed, 0, found);
            bytesIndex = 0;
            return found;
        }
        catch (final OutputLimitException ex)
        {
            throw new HeapLimitException(MAX_LENGTH);
        }
        catch (final WireFormatException ex)
        {
            throw new WireFormatException(CompressionType.name(codec) + ": " + ex.getMessage());
        }
    }

    private void addRecords()
    {
        while (record.next())
        {
            final Message message = new Message(magic, record.timestamp(),
                slice(record.keyIndex(), record.keyLength()), slice(record.valueIndex(), record.valueLength()));
            messages.add(new MessageAndOffset(message, record.offset()));
            nextOffset = Math.max(nextOffset, record.offset() + 1);
        }
        if (record.flaw() != null)
        {
            throw new WireFormatException(record.flaw());
        }
    }

    /** Sets the next offset of the last message to the offset after its batch. */
    private void advanceAfter(final long lastOffset)
    {
        nextOffset = Math.max(nextOffset, lastOffset + 1);
        final int last = messages.size() - 1;
        if (last >= 0)
        {
            final MessageAndOffset message = messages.get(last);
            messages.set(last, new MessageAndOffset(message.message(), message.offset(), nextOffset));
        }
    }

    private ByteBuffer slice(final int index, final int length)
    {
        return length < 0 ? null : bytes.slice(index - bytesIndex, length);
    }

    private static ByteBuffer copy(final RecordMemory memory, final int index, final int limit)
    {
        final byte[] copy = new byte[limit - index];
        memory.buffer().getBytes(index, copy);
        return ByteBuffer.wrap(copy);
    }

    void close()
    {
        if (decompressor != null)
        {
            decompressor.close();
            decompressor = null;
            decompressed = null;
        }
    }
}
