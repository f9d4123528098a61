// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.UnsafeApi;

/**
 * The cursor over the records of one batch, or of one set of messages of magic 0 or 1. Handlers receive it as a
 * {@link Record}, which cannot be moved.
 * <pre>
 *  length varint | attributes int8 | timestampDelta varlong | offsetDelta varint
 *    | keyLength varint, -1 null | key | valueLength varint, -1 null | value
 *    | headerCount varint | { keyLength varint | key | valueLength varint, -1 null | value }*
 * </pre>
 * All varints are zig-zag. The length does not count itself. Every length is checked against the record, and the record
 * against its batch, before {@link #next()} returns; after that the accessors are plain reads.
 */
public final class RecordFlyweight extends Record
{
    private static final int NULL_LEADER_EPOCH = -1;
    /** Length, attributes, two deltas, two lengths and a count, of one byte each. */
    private static final int MIN_RECORD_LENGTH = 7;
    /**
     * The fast path reads at most 2 bytes for each of length, two deltas and the key length, and one for the
     * attributes, before it checks the limit again.
     */
    private static final int FAST_LENGTH = 9;
    /** The value of a varint of more than two bytes on the fast path. */
    private static final int TOO_LONG = 1 << 30;
    /** Bits that are set if the length of a record is negative or too long for the fast path. */
    private static final int NOT_FAST = TOO_LONG | 1;
    private static final String NO_END = " whose varint has no end";

    private final RecordVarints varints = new RecordVarints();
    private final LegacyMessageSet messages = new LegacyMessageSet();

    private int firstIndex;
    private int limit;
    private int remaining;
    private int remainingAfterCurrent;
    private int lastOffsetDelta;
    private boolean isLegacy;
    private boolean isSteppedBack;
    private String flaw;

    /**
     * Moves to before the first record of a batch.
     *
     * @param batch     a complete batch.
     * @param memory    that holds the records: the memory of the batch, or the one they were decompressed into.
     * @param index     of the first record.
     * @param limit     first index after the last record.
     * @param partition of the batch.
     */
    public void wrap(
        final RecordBatchFlyweight batch,
        final RecordMemory memory,
        final int index,
        final int limit,
        final int partition)
    {
        wrap(memory, partition);
        firstIndex = index;
        nextIndex = index;
        this.limit = limit;
        isLegacy = false;
        remaining = batch.recordCount();
        baseOffset = batch.baseOffset();
        lastOffsetDelta = batch.lastOffsetDelta();
        leaderEpoch = batch.partitionLeaderEpoch();
        isLogAppendTime = batch.isLogAppendTime();
        baseTimestamp = batch.baseTimestamp();
        appendTimestamp = batch.maxTimestamp();
        offsetDelta = -1;
    }

    /**
     * Moves to before the first message of a set of magic 0 or 1. Messages have no headers and no leader epoch.
     *
     * @param wrapper     the message that contains the set, or the only message of the set.
     * @param memory      that holds the set.
     * @param index       of the first message.
     * @param limit       first index after the last message.
     * @param offsetShift to add to each offset.
     * @param partition   of the set.
     */
    public void wrapLegacy(
        final LegacyMessageFlyweight wrapper,
        final RecordMemory memory,
        final int index,
        final int limit,
        final long offsetShift,
        final int partition)
    {
        messages.wrap(memory, index, limit, offsetShift);
        wrap(memory, partition);
        isLegacy = true;
        // There are no records, so that next() always calls nextOrEnd().
        remaining = 0;
        offsetDelta = 0;
        timestampDeltaMs = 0;
        leaderEpoch = NULL_LEADER_EPOCH;
        headerCount = 0;
        isLogAppendTime = wrapper.isLogAppendTime();
        appendTimestamp = wrapper.timestamp();
    }

    /** Sets the epoch of the records of the batches that follow. */
    public void ownershipEpoch(final int epoch)
    {
        ownershipEpoch = epoch;
    }

    void wrap(final RecordMemory newMemory, final int newPartition)
    {
        memory = newMemory;
        buffer = newMemory.buffer();
        address = buffer.addressOffset();
        partition = newPartition;
        isSteppedBack = false;
        flaw = null;
    }

    /**
     * Moves to the next record.
     *
     * @return false after the last record, or if the next one is malformed: then {@link #flaw()} describes it.
     */
    public boolean next()
    {
        final int start = nextIndex;
        if (remaining <= 0 || limit - start < FAST_LENGTH + MIN_RECORD_LENGTH)
        {
            return nextOrEnd();
        }

        // len|attr|tsDelta|offDelta|keyLen|key|valueLen|value|headerCount: varints of at most two bytes, no headers.
        // Any other record is decoded by nextChecked(). This is split in two methods because HotSpot inlines at most
        // 325 bytes of bytecode.
        long at = address + start;
        int length = UnsafeApi.getByte(at++);
        if (length < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            length = high < 0 ? TOO_LONG : high << 7 | length & 0x7F;
        }
        final long recordEnd = at + (length >> 1);

        int timestampDelta = UnsafeApi.getByte(++at);
        at++;
        if (timestampDelta < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            timestampDelta = high < 0 ? TOO_LONG : high << 7 | timestampDelta & 0x7F;
        }

        int delta = UnsafeApi.getByte(at++);
        if (delta < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            delta = high < 0 ? TOO_LONG : high << 7 | delta & 0x7F;
        }
        final int newOffsetDelta = delta >>> 1 ^ -(delta & 1);

        if ((length & NOT_FAST | (timestampDelta | delta) & TOO_LONG) != 0 || recordEnd > address + limit ||
            newOffsetDelta <= offsetDelta || newOffsetDelta > lastOffsetDelta || !nextKeyAndValue(at, recordEnd))
        {
            return nextChecked();
        }
        nextIndex = (int)(recordEnd - address);
        remaining--;
        offsetDelta = newOffsetDelta;
        timestampDeltaMs = timestampDelta >>> 1 ^ -(timestampDelta & 1);
        return true;
    }

    /** Decodes from the key length to the end of a record whose lengths have at most two bytes, without headers. */
    private boolean nextKeyAndValue(final long index, final long recordEnd)
    {
        long at = index;
        int size = UnsafeApi.getByte(at++);
        if (size < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            size = high < 0 ? TOO_LONG : high << 7 | size & 0x7F;
        }
        final int newKeyLength = size >>> 1 ^ -(size & 1);
        final int newKeyIndex = (int)(at - address);
        at += Math.max(newKeyLength, 0);
        // At least two bytes are left: a value length of two bytes, or one of one byte and the header count.
        if (recordEnd - at < 2 || newKeyLength < NULL_LENGTH)
        {
            return false;
        }

        size = UnsafeApi.getByte(at++);
        if (size < 0)
        {
            final int high = UnsafeApi.getByte(at++);
            size = high < 0 ? TOO_LONG : high << 7 | size & 0x7F;
        }
        final int newValueLength = size >>> 1 ^ -(size & 1);
        if (newValueLength < NULL_LENGTH || recordEnd - at - Math.max(newValueLength, 0) != 1 ||
            UnsafeApi.getByte(recordEnd - 1) != 0)
        {
            return false;
        }
        keyIndex = newKeyIndex;
        keyLength = newKeyLength;
        valueIndex = (int)(at - address);
        valueLength = newValueLength;
        headerCount = 0;
        return true;
    }

    private boolean nextOrEnd()
    {
        if (isSteppedBack)
        {
            isSteppedBack = false;
            remaining = remainingAfterCurrent;
            return true;
        }
        if (isLegacy)
        {
            return nextLegacy();
        }
        if (remaining <= 0)
        {
            return nextIndex == limit ? false : flawed("bytes after the last record: " + (limit - nextIndex));
        }
        return nextChecked();
    }

    /** Decodes any record, byte by byte. */
    private boolean nextChecked()
    {
        final RecordVarints varints = this.varints;
        varints.wrap(address, nextIndex, limit);
        final int length = varints.next();
        if (varints.isFlawed() || length < MIN_RECORD_LENGTH - 1 || length > varints.remaining())
        {
            return flawed("record length", length, MIN_RECORD_LENGTH - 1, varints.remaining());
        }
        final int end = varints.index() + length;
        varints.limit(end);
        varints.skip(1);
        final long newTimestampDelta = varints.nextLong();
        final int newOffsetDelta = varints.next();
        if (newOffsetDelta <= offsetDelta || newOffsetDelta > lastOffsetDelta)
        {
            return flawed("offset delta", newOffsetDelta, offsetDelta + 1, lastOffsetDelta);
        }
        final int newKeyLength = varints.next();
        final int newKeyIndex = varints.index();
        if (varints.isImpossible(newKeyLength, NULL_LENGTH))
        {
            return flawed("key length", newKeyLength, NULL_LENGTH, varints.remaining());
        }
        varints.skip(Math.max(newKeyLength, 0));
        final int newValueLength = varints.next();
        final int newValueIndex = varints.index();
        if (varints.isImpossible(newValueLength, NULL_LENGTH))
        {
            return flawed("value length", newValueLength, NULL_LENGTH, varints.remaining());
        }
        varints.skip(Math.max(newValueLength, 0));
        final int newHeaderCount = varints.next();
        final int newHeadersIndex = varints.index();
        if (varints.isImpossible(newHeaderCount, 0))
        {
            return flawed("header count", newHeaderCount, 0, varints.remaining());
        }
        for (int i = 0; i < newHeaderCount; i++)
        {
            if (!varints.skipPart(0) || !varints.skipPart(NULL_LENGTH))
            {
                return flawedHeader(i, newHeaderCount);
            }
        }
        if (varints.index() != end)
        {
            return flawed("bytes left in a record: " + (end - varints.index()));
        }

        nextIndex = end;
        remaining--;
        keyIndex = newKeyIndex;
        keyLength = newKeyLength;
        valueIndex = newValueIndex;
        valueLength = newValueLength;
        headersIndex = newHeadersIndex;
        headerCount = newHeaderCount;
        offsetDelta = newOffsetDelta;
        timestampDeltaMs = newTimestampDelta;
        return true;
    }

    private boolean nextLegacy()
    {
        if (!messages.next())
        {
            flaw = messages.flaw();
            return false;
        }
        final LegacyMessageFlyweight message = messages.message();
        baseOffset = messages.offset();
        baseTimestamp = message.timestamp();
        keyIndex = message.keyIndex();
        keyLength = message.keyLength();
        valueIndex = message.valueIndex();
        valueLength = message.valueLength();
        nextIndex = valueIndex + Math.max(valueLength, 0);
        return true;
    }

    private boolean flawed(final String field, final int found, final int least, final int most)
    {
        return flawed(varints.isFlawed() ? endlessField(field) + NO_END :
            field + " " + found + " where at least " + least + " was expected and at most " + most + " fits");
    }

    private boolean flawedHeader(final int number, final int count)
    {
        return flawed("length in header " + number + " of " + count +
            (varints.isFlawed() ? NO_END : " that is negative or does not fit"));
    }

    private boolean flawed(final String what)
    {
        flaw = what + ", at byte " + (nextIndex - firstIndex) + " of the records, " + remaining +
            " records before the end of the batch";
        return false;
    }

    /** Reads the fields again that {@link #nextChecked()} reads without a check whether their varints end. */
    private String endlessField(final String checkedField)
    {
        varints.wrap(address, nextIndex, limit);
        final int length = varints.next();
        if (varints.isFlawed())
        {
            return checkedField;
        }
        varints.limit(varints.index() + length);
        varints.skip(1);
        varints.nextLong();
        if (varints.isFlawed())
        {
            return "timestamp delta";
        }
        varints.next();
        return varints.isFlawed() ? "offset delta" : checkedField;
    }

    /** Describes the malformed record at which {@link #next()} stopped; null if it stopped after the last record. */
    public String flaw()
    {
        return flaw;
    }

    /**
     * Makes the following call of {@link #next()} return the current record again. This takes the same short time
     * wherever in its batch the record is. Call it only after {@code next()} has returned true.
     */
    public void stepBack()
    {
        if (!isSteppedBack)
        {
            isSteppedBack = true;
            remainingAfterCurrent = remaining;
            // next() calls nextOrEnd() if no records remain.
            remaining = 0;
        }
    }
}
