// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/**
 * Builds the texts about records, batches and messages. They are in a class of their own because the classes on the hot
 * path must not contain string constants: HotSpot allocates these on the polling thread when it compiles a method.
 */
final class RecordText
{
    static final int RECORD_LENGTH = 0;
    static final int OFFSET_DELTA = 1;
    static final int KEY_LENGTH = 2;
    static final int VALUE_LENGTH = 3;
    static final int HEADER_COUNT = 4;
    static final int HEADER = 5;
    static final int RECORD_END = 6;
    static final int BATCH_END = 7;

    private static final String[] FIELDS = {
        "record length", "offset delta", "key length", "value length", "header count", "length in header",
        "bytes left in a record", "bytes after the last record",
    };

    private RecordText()
    {
    }

    static String of(
        final int partition,
        final long offset,
        final long timestamp,
        final int keyLength,
        final int valueLength,
        final int headerCount)
    {
        return "Record{partition=" + partition + ", offset=" + offset + ", timestamp=" + timestamp + ", keyLength=" +
            keyLength + ", valueLength=" + valueLength + ", headerCount=" + headerCount + "}";
    }

    static String recordFlaw(final int field, final int found, final int max, final int index, final int remaining)
    {
        return FIELDS[field] + " " + found + " where at most " + max + " fits, at byte " + index +
            " of the records, " + remaining + " records before the end of the batch";
    }

    static String batchMagicFlaw(final byte magic)
    {
        return "magic " + magic + " where 0, 1 or 2 was expected";
    }

    static String batchLengthFlaw(final int length, final int min)
    {
        return "batch length " + length + " where at least " + min + " was expected";
    }

    static String batchFieldsFlaw(final long baseOffset, final int lastOffsetDelta, final int recordCount)
    {
        return "base offset " + baseOffset + ", last offset delta " + lastOffsetDelta + ", record count " +
            recordCount + " where none may be negative or pass the largest offset";
    }

    static String messageMagicFlaw(final byte magic)
    {
        return "magic " + magic + " where 0 or 1 was expected";
    }

    static String messageSizeFlaw(final int size, final int min)
    {
        return "message size " + size + " where at least " + min + " was expected";
    }

    static String messageFieldsFlaw(final long offset, final int keyLength, final int valueLength, final int size)
    {
        return "offset " + offset + ", key length " + keyLength + ", value length " + valueLength +
            " in a message of size " + size + " where all must fit and the offset may not be negative";
    }

    static String cutOffMessage(final int index)
    {
        return "a message cut off at byte " + index + " of a message set";
    }

    static String nestedCompression()
    {
        return "a compressed message within a compressed one";
    }

    static IndexOutOfBoundsException outsideOfValue(final int at, final int length, final int valueLength)
    {
        return new IndexOutOfBoundsException(
            "Cannot read " + length + " bytes at " + at + " of a value of " + valueLength + " bytes.");
    }

    static IllegalArgumentException notDirect()
    {
        return new IllegalArgumentException("Records are read by address, so their buffer must be direct.");
    }
}
