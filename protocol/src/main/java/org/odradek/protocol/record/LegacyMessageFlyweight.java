// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.zip.CRC32;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.agrona.BitUtil.SIZE_OF_BYTE;
import static org.agrona.BitUtil.SIZE_OF_INT;
import static org.agrona.BitUtil.SIZE_OF_LONG;

/**
 * A view of one message of the formats before record batches (magic 0 and 1), in the bytes that came from the broker or
 * were decompressed from a wrapper. A wrapper is a message with a codec, whose value is a compressed set of messages.
 * The view is valid until the next {@code wrap} or until the memory is filled again.
 * <pre>
 *   0 offset int64 | 8 size int32, the bytes after this field | 12 crc uint32, CRC-32 of all that follows
 *  16 magic int8 | 17 attributes int8 | magic 1 only: 18 timestamp int64
 *     keyLength int32, -1 null | key | valueLength int32, -1 null | value
 *
 *  attributes: 0-2 codec | 3 timestamp type, 1 = LogAppendTime, magic 1 only
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/documentation/#messageset">Message sets, Kafka documentation</a>
 */
public final class LegacyMessageFlyweight
{
    /** Result of {@link #wrap}: a complete message with valid fields. */
    public static final int COMPLETE = RecordBatchFlyweight.COMPLETE;
    /** Result of {@link #wrap}: fewer bytes than the message claims, which is normal at the end of a record set. */
    public static final int CUT_OFF = RecordBatchFlyweight.CUT_OFF;
    /** Result of {@link #wrap}: bytes that cannot be a message; {@link #flaw()} describes them. */
    public static final int MALFORMED = RecordBatchFlyweight.MALFORMED;

    /** Length of a key or value that is null, which is not the same as empty. */
    public static final int NULL_LENGTH = Record.NULL_LENGTH;
    /** Timestamp of a message of magic 0, which has none. */
    public static final long NULL_TIMESTAMP = -1;

    public static final int OFFSET_FIELD_OFFSET = 0;
    public static final int SIZE_FIELD_OFFSET = OFFSET_FIELD_OFFSET + SIZE_OF_LONG;
    public static final int CRC_FIELD_OFFSET = SIZE_FIELD_OFFSET + SIZE_OF_INT;
    public static final int MAGIC_FIELD_OFFSET = CRC_FIELD_OFFSET + SIZE_OF_INT;
    public static final int ATTRIBUTES_FIELD_OFFSET = MAGIC_FIELD_OFFSET + SIZE_OF_BYTE;
    public static final int TIMESTAMP_FIELD_OFFSET = ATTRIBUTES_FIELD_OFFSET + SIZE_OF_BYTE;

    /** Length of the fields that {@code size} does not count: the offset and itself. */
    public static final int SIZE_OVERHEAD = CRC_FIELD_OFFSET;

    private static final int MIN_SIZE_V0 = TIMESTAMP_FIELD_OFFSET - SIZE_OVERHEAD + 2 * SIZE_OF_INT;
    private static final int MIN_SIZE_V1 = MIN_SIZE_V0 + SIZE_OF_LONG;
    private static final int MAGIC_V1 = 1;
    private static final int CODEC_MASK = 0b0000_0111;
    private static final int LOG_APPEND_TIME_MASK = 0b0000_1000;

    private final CRC32 crc32 = new CRC32();

    private int index;
    private int limit;
    private int keyIndex;
    private int keyLength;
    private int valueIndex;
    private int valueLength;
    private RecordMemory memory;
    private UnsafeBuffer buffer;

    /**
     * Views the message at an index and checks everything that later reads rely on: the size against its minimum and
     * against the limit, the magic, the sign of the offset, and the lengths of key and value against the message.
     *
     * @param memory that holds the message.
     * @param index  of the first byte of the message.
     * @param limit  first index after the bytes that have been received.
     * @return {@link #COMPLETE}, {@link #CUT_OFF} or {@link #MALFORMED}.
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
        final int size = size();
        if (!isSizeSound())
        {
            return MALFORMED;
        }
        if (size > available - SIZE_OVERHEAD)
        {
            return CUT_OFF;
        }
        this.limit = index + SIZE_OVERHEAD + size;
        return wrapKeyAndValue() && offset() >= 0 && offset() < Long.MAX_VALUE ? COMPLETE : MALFORMED;
    }

    /** True if the size of a {@link #MALFORMED} message can be trusted, so that {@link #limit()} is its end. */
    public boolean isSizeSound()
    {
        return isMagicKnown() && size() >= minSize();
    }

    /** Describes what is wrong with a {@link #MALFORMED} message. */
    public String flaw()
    {
        if (!isMagicKnown())
        {
            return "magic " + magic() + " where 0 or 1 was expected";
        }
        return size() < minSize() ? "message size " + size() + " where at least " + minSize() + " was expected" :
            "offset " + offset() + ", key length " + keyLength + ", value length " + valueLength +
                " in a message of size " + size() +
                " where all must fit and the offset may not be negative or the largest";
    }

    public RecordMemory memory()
    {
        return memory;
    }

    public int index()
    {
        return index;
    }

    /** First index after the message. */
    public int limit()
    {
        return limit;
    }

    /**
     * Offset of the message, or of the last one inside a wrapper; inside a wrapper of magic 1 it counts from the first.
     */
    public long offset()
    {
        return buffer.getLong(index + OFFSET_FIELD_OFFSET, BIG_ENDIAN);
    }

    public int size()
    {
        return buffer.getInt(index + SIZE_FIELD_OFFSET, BIG_ENDIAN);
    }

    /** The checksum in the message, to be compared with {@link #computeCrc()}. */
    public int crc()
    {
        return buffer.getInt(index + CRC_FIELD_OFFSET, BIG_ENDIAN);
    }

    /** Computes the checksum of a complete message. */
    public int computeCrc()
    {
        final int start = index + MAGIC_FIELD_OFFSET;
        crc32.reset();
        crc32.update(memory.checksumView(start, limit - start));
        return (int)crc32.getValue();
    }

    public byte magic()
    {
        return buffer.getByte(index + MAGIC_FIELD_OFFSET);
    }

    public byte attributes()
    {
        return buffer.getByte(index + ATTRIBUTES_FIELD_OFFSET);
    }

    public int compressionType()
    {
        return attributes() & CODEC_MASK;
    }

    public boolean isLogAppendTime()
    {
        return magic() == MAGIC_V1 && (attributes() & LOG_APPEND_TIME_MASK) != 0;
    }

    /** Milliseconds since 1970, or {@link #NULL_TIMESTAMP} in a message of magic 0. */
    public long timestamp()
    {
        return magic() == MAGIC_V1 ? buffer.getLong(index + TIMESTAMP_FIELD_OFFSET, BIG_ENDIAN) : NULL_TIMESTAMP;
    }

    public int keyIndex()
    {
        return keyIndex;
    }

    /** In bytes, or {@link #NULL_LENGTH}. */
    public int keyLength()
    {
        return keyLength;
    }

    public int valueIndex()
    {
        return valueIndex;
    }

    /** In bytes, or {@link #NULL_LENGTH}. */
    public int valueLength()
    {
        return valueLength;
    }

    /** Bytes after the value are ignored, as by Kafka's own consumer; the checksum covers them. */
    private boolean wrapKeyAndValue()
    {
        valueLength = NULL_LENGTH;
        keyIndex = index + SIZE_OVERHEAD + minSize() - SIZE_OF_INT;
        keyLength = buffer.getInt(keyIndex - SIZE_OF_INT, BIG_ENDIAN);
        if (keyLength < NULL_LENGTH || keyLength > limit - keyIndex - SIZE_OF_INT)
        {
            return false;
        }
        valueIndex = keyIndex + Math.max(keyLength, 0) + SIZE_OF_INT;
        valueLength = buffer.getInt(valueIndex - SIZE_OF_INT, BIG_ENDIAN);
        return valueLength >= NULL_LENGTH && valueLength <= limit - valueIndex;
    }

    private boolean isMagicKnown()
    {
        return (magic() & ~MAGIC_V1) == 0;
    }

    private int minSize()
    {
        return magic() == MAGIC_V1 ? MIN_SIZE_V1 : MIN_SIZE_V0;
    }
}
