// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.zip.CRC32C;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.agrona.BitUtil.SIZE_OF_BYTE;
import static org.agrona.BitUtil.SIZE_OF_INT;
import static org.agrona.BitUtil.SIZE_OF_LONG;
import static org.agrona.BitUtil.SIZE_OF_SHORT;

/**
 * A view of one record batch of format version 2 (magic 2), in the bytes that came from the broker. Valid until the
 * next {@code wrap} or until the memory is filled again.
 * <pre>
 *   0 baseOffset int64 | 8 batchLength int32, the bytes after this field | 12 partitionLeaderEpoch int32
 *  16 magic int8 | 17 crc uint32, CRC-32C of all bytes after it | 21 attributes int16 | 23 lastOffsetDelta int32
 *  27 baseTimestamp int64 | 35 maxTimestamp int64 | 43 producerId int64 | 51 producerEpoch int16
 *  53 baseSequence int32 | 57 recordCount int32 | 61 records, compressed as a whole if a codec is set
 *
 *  attributes: 0-2 codec | 3 timestamp type, 1 = LogAppendTime | 4 transactional | 5 control | 6 delete horizon
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/documentation/#recordbatch">Record batch, Kafka documentation</a>
 */
public final class RecordBatchFlyweight
{
    /** Result of {@link #wrap}: a complete batch with a valid header. */
    public static final int COMPLETE = 1;
    /**
     * {@link #wrap} found fewer bytes than the batch claims: normal at the end of a record set, where the log was cut
     * at the byte limit of the fetch.
     */
    public static final int CUT_OFF = 0;
    /** Result of {@link #wrap}: bytes that cannot be a header; {@link #flaw()} describes them. */
    public static final int MALFORMED = -1;
    /** {@link #wrap} found a message of magic 0 or 1, to be read by a {@link LegacyMessageFlyweight}. */
    public static final int LEGACY = 2;

    public static final int BASE_OFFSET_FIELD_OFFSET = 0;
    public static final int BATCH_LENGTH_FIELD_OFFSET = BASE_OFFSET_FIELD_OFFSET + SIZE_OF_LONG;
    public static final int PARTITION_LEADER_EPOCH_FIELD_OFFSET = BATCH_LENGTH_FIELD_OFFSET + SIZE_OF_INT;
    public static final int MAGIC_FIELD_OFFSET = PARTITION_LEADER_EPOCH_FIELD_OFFSET + SIZE_OF_INT;
    public static final int CRC_FIELD_OFFSET = MAGIC_FIELD_OFFSET + SIZE_OF_BYTE;
    public static final int ATTRIBUTES_FIELD_OFFSET = CRC_FIELD_OFFSET + SIZE_OF_INT;
    public static final int LAST_OFFSET_DELTA_FIELD_OFFSET = ATTRIBUTES_FIELD_OFFSET + SIZE_OF_SHORT;
    public static final int BASE_TIMESTAMP_FIELD_OFFSET = LAST_OFFSET_DELTA_FIELD_OFFSET + SIZE_OF_INT;
    public static final int MAX_TIMESTAMP_FIELD_OFFSET = BASE_TIMESTAMP_FIELD_OFFSET + SIZE_OF_LONG;
    public static final int PRODUCER_ID_FIELD_OFFSET = MAX_TIMESTAMP_FIELD_OFFSET + SIZE_OF_LONG;
    public static final int PRODUCER_EPOCH_FIELD_OFFSET = PRODUCER_ID_FIELD_OFFSET + SIZE_OF_LONG;
    public static final int BASE_SEQUENCE_FIELD_OFFSET = PRODUCER_EPOCH_FIELD_OFFSET + SIZE_OF_SHORT;
    public static final int RECORD_COUNT_FIELD_OFFSET = BASE_SEQUENCE_FIELD_OFFSET + SIZE_OF_INT;
    public static final int HEADER_LENGTH = RECORD_COUNT_FIELD_OFFSET + SIZE_OF_INT;

    /** Length of the fields that {@code batchLength} does not count: the base offset and itself. */
    public static final int LENGTH_OVERHEAD = PARTITION_LEADER_EPOCH_FIELD_OFFSET;

    /** Magic of the format that this class views. */
    public static final int MAGIC_V2 = 2;

    private static final int CODEC_MASK = 0b0000_0111;
    private static final int LOG_APPEND_TIME_MASK = 0b0000_1000;
    private static final int TRANSACTIONAL_MASK = 0b0001_0000;
    private static final int CONTROL_MASK = 0b0010_0000;

    private final CRC32C checksum = new CRC32C();
    private int index;
    private int limit;
    private RecordMemory memory;
    private UnsafeBuffer buffer;

    /**
     * Views the batch at an index and checks everything that later reads rely on: the length against its minimum and
     * against the limit, the magic, and the signs of the offsets and of the count.
     *
     * @param memory that holds the batch.
     * @param index  of the first byte of the batch.
     * @param limit  first index after the bytes that have been received.
     * @return {@link #COMPLETE}, {@link #CUT_OFF}, {@link #MALFORMED} or {@link #LEGACY}.
     */
    public int wrap(final RecordMemory memory, final int index, final int limit)
    {
        this.memory = memory;
        this.buffer = memory.buffer();
        this.index = index;
        this.limit = limit;

        final int available = limit - index;
        if (available <= MAGIC_FIELD_OFFSET)
        {
            return CUT_OFF;
        }
        final byte magic = magic();
        if (magic == 0 || magic == 1)
        {
            return LEGACY;
        }
        final int batchLength = batchLength();
        if (batchLength < HEADER_LENGTH - LENGTH_OVERHEAD || magic != MAGIC_V2)
        {
            return MALFORMED;
        }
        if (batchLength > available - LENGTH_OVERHEAD)
        {
            return CUT_OFF;
        }
        this.limit = index + LENGTH_OVERHEAD + batchLength;
        return (baseOffset() | lastOffsetDelta() | recordCount()) < 0 || lastOffset() + 1 <= 0 ? MALFORMED : COMPLETE;
    }

    /** Describes the flaw of a {@link #MALFORMED} batch. */
    public String flaw()
    {
        if (magic() != MAGIC_V2)
        {
            return "magic " + magic() + " where 0, 1 or 2 was expected";
        }
        final int minLength = HEADER_LENGTH - LENGTH_OVERHEAD;
        return batchLength() < minLength ?
            "batch length " + batchLength() + " where at least " + minLength + " was expected" :
            "base offset " + baseOffset() + ", last offset delta " + lastOffsetDelta() + ", record count " +
                recordCount() + " where none may be negative or lead to the largest offset";
    }

    public RecordMemory memory()
    {
        return memory;
    }

    public int index()
    {
        return index;
    }

    /** First index after the batch. */
    public int limit()
    {
        return limit;
    }

    /** Index of the first record, or of the compressed bytes. */
    public int recordsIndex()
    {
        return index + HEADER_LENGTH;
    }

    public long baseOffset()
    {
        return buffer.getLong(index + BASE_OFFSET_FIELD_OFFSET, BIG_ENDIAN);
    }

    public int batchLength()
    {
        return buffer.getInt(index + BATCH_LENGTH_FIELD_OFFSET, BIG_ENDIAN);
    }

    /** Epoch of the leader that appended the batch, or -1. */
    public int partitionLeaderEpoch()
    {
        return buffer.getInt(index + PARTITION_LEADER_EPOCH_FIELD_OFFSET, BIG_ENDIAN);
    }

    public byte magic()
    {
        return buffer.getByte(index + MAGIC_FIELD_OFFSET);
    }

    /** The checksum in the batch, to be compared with {@link #computeCrc}. */
    public int crc()
    {
        return buffer.getInt(index + CRC_FIELD_OFFSET, BIG_ENDIAN);
    }

    /** Computes the CRC-32C of the bytes from the attributes to the end, in the form in which they are stored. */
    public int computeCrc()
    {
        final int checkedIndex = index + ATTRIBUTES_FIELD_OFFSET;
        checksum.reset();
        checksum.update(memory.checksumView(checkedIndex, limit - checkedIndex));
        return (int) checksum.getValue();
    }

    public short attributes()
    {
        return buffer.getShort(index + ATTRIBUTES_FIELD_OFFSET, BIG_ENDIAN);
    }

    public int compressionType()
    {
        return attributes() & CODEC_MASK;
    }

    public boolean isLogAppendTime()
    {
        return (attributes() & LOG_APPEND_TIME_MASK) != 0;
    }

    public boolean isTransactional()
    {
        return (attributes() & TRANSACTIONAL_MASK) != 0;
    }

    public boolean isControl()
    {
        return (attributes() & CONTROL_MASK) != 0;
    }

    public int lastOffsetDelta()
    {
        return buffer.getInt(index + LAST_OFFSET_DELTA_FIELD_OFFSET, BIG_ENDIAN);
    }

    /** Offset of the last record that was written to the batch, even if compaction has removed it. */
    public long lastOffset()
    {
        return baseOffset() + lastOffsetDelta();
    }

    public long baseTimestamp()
    {
        return buffer.getLong(index + BASE_TIMESTAMP_FIELD_OFFSET, BIG_ENDIAN);
    }

    public long maxTimestamp()
    {
        return buffer.getLong(index + MAX_TIMESTAMP_FIELD_OFFSET, BIG_ENDIAN);
    }

    public long producerId()
    {
        return buffer.getLong(index + PRODUCER_ID_FIELD_OFFSET, BIG_ENDIAN);
    }

    public short producerEpoch()
    {
        return buffer.getShort(index + PRODUCER_EPOCH_FIELD_OFFSET, BIG_ENDIAN);
    }

    public int baseSequence()
    {
        return buffer.getInt(index + BASE_SEQUENCE_FIELD_OFFSET, BIG_ENDIAN);
    }

    public int recordCount()
    {
        return buffer.getInt(index + RECORD_COUNT_FIELD_OFFSET, BIG_ENDIAN);
    }
}
