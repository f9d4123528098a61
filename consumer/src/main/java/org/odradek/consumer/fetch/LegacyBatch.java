/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.fetch;

import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.LegacyMessageSet;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;

/**
 * What stands in place of a record batch in a log from before Kafka 0.11: one message of magic 0 or 1, or one whose
 * value is a compressed set of them (KIP-31, KIP-32).
 */
final class LegacyBatch
{
    static final int BEGUN = 2;
    static final int SKIPPED = 1;
    static final int CUT_OFF = 0;
    static final int FLAWED = -1;

    private static final int MAGIC_WITH_RELATIVE_OFFSETS = 1;

    private final boolean isCheckingCrcs;
    private long lastOffset;
    private String flaw;
    private final DecompressedBatch decompressed;
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
    private final LegacyMessageSet set = new LegacyMessageSet();

    LegacyBatch(final boolean isCheckingCrcs, final DecompressedBatch decompressed)
    {
        this.isCheckingCrcs = isCheckingCrcs;
        this.decompressed = decompressed;
    }

    /**
     * Let a record stand before the first message, if one of them may be wanted.
     *
     * @return {@link #BEGUN}, {@link #SKIPPED}, {@link #CUT_OFF} or {@link #FLAWED}.
     */
    int begin(
        final RecordMemory memory,
        final int index,
        final int limit,
        final long nextOffset,
        final int partition,
        final RecordFlyweight record)
    {
        final int status = message.wrap(memory, index, limit);
        if (status != LegacyMessageFlyweight.COMPLETE)
        {
            flaw = status == LegacyMessageFlyweight.MALFORMED ? message.flaw() : null;
            return status;
        }
        lastOffset = message.offset();
        if (isCheckingCrcs && message.computeCrc() != message.crc())
        {
            return flawed("CRC " + Integer.toHexString(message.computeCrc()) + " where " +
                Integer.toHexString(message.crc()) + " was expected");
        }
        // Some old producers gave a compressed message the offset 0, whatever those within.
        final boolean isCompressed = message.compressionType() != CompressionType.NONE;
        if (lastOffset < nextOffset && !(isCompressed && lastOffset == 0))
        {
            return SKIPPED;
        }
        if (isCompressed)
        {
            return beginCompressed(memory, nextOffset, partition, record);
        }
        record.wrapLegacy(message, memory, index, message.limit(), 0, partition);
        return BEGUN;
    }

    private int beginCompressed(
        final RecordMemory memory, final long nextOffset, final int partition, final RecordFlyweight record)
    {
        if (message.valueLength() <= 0)
        {
            return flawed("a compressed message without a value");
        }
        final boolean isDone = decompressed.decompress(
            message.compressionType(), message.magic(), memory, message.valueIndex(), message.valueLength());
        if (!isDone)
        {
            return flawed(decompressed.flaw());
        }
        final long lastInner = set.wrap(decompressed.memory(), 0, decompressed.length(), 0).lastOffset();
        if (lastInner == LegacyMessageSet.NULL_OFFSET)
        {
            return flawed(set.flaw() == null ? "a compressed message that holds none" : set.flaw());
        }
        final boolean isRelative = message.magic() == MAGIC_WITH_RELATIVE_OFFSETS && lastOffset != 0;
        final long offsetShift = isRelative ? lastOffset - lastInner : 0;
        if (offsetShift < 0)
        {
            return flawed("offset " + lastInner + " within a compressed message of offset " + lastOffset);
        }
        lastOffset = lastInner + offsetShift;
        if (lastOffset < nextOffset)
        {
            return SKIPPED;
        }
        record.wrapLegacy(message, decompressed.memory(), 0, decompressed.length(), offsetShift, partition);
        return BEGUN;
    }

    private int flawed(final String what)
    {
        flaw = what;
        return FLAWED;
    }

    String flaw()
    {
        return flaw + ", in the message at offset " + message.offset();
    }

    int limit()
    {
        return message.limit();
    }

    long lastOffset()
    {
        return lastOffset;
    }
}
