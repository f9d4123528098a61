// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.LegacyMessageSet;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.protocol.record.StoredBatchFlyweight;

/**
 * A message in the format before record batches, magic 0 or 1 (KIP-31, KIP-32): a single message, or a message whose
 * value is a compressed set of messages.
 */
final class LegacyBatch
{
    static final int BEGUN = 2;
    static final int SKIPPED = 1;
    static final int CUT_OFF = 0;
    static final int FLAWED = -1;

    private static final int MAGIC_WITH_RELATIVE_OFFSETS = 1;

    private final boolean isCheckingCrcs;
    private boolean isCompressed;
    private int recordCount;
    private long firstOffset;
    private long lastOffset;
    private long offsetShift;
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
     * @return {@link #BEGUN} if the message may hold a record at or after the next offset, {@link #SKIPPED} if not,
     *         {@link #CUT_OFF} if it is not complete, or {@link #FLAWED}.
     */
    int begin(final RecordMemory memory, final int index, final int limit, final long nextOffset)
    {
        final int status = message.wrap(memory, index, limit);
        if (status == LegacyMessageFlyweight.CUT_OFF)
        {
            return CUT_OFF;
        }
        lastOffset = message.offset();
        if (status == LegacyMessageFlyweight.MALFORMED)
        {
            return flawed(message.flaw());
        }
        firstOffset = lastOffset;
        recordCount = 1;
        offsetShift = 0;
        isCompressed = message.compressionType() != CompressionType.NONE;
        // Some old producers wrote a compressed message with offset 0, independent of the offsets within it.
        if (lastOffset < nextOffset && !(isCompressed && lastOffset == 0))
        {
            return SKIPPED;
        }
        if (isCheckingCrcs && message.computeCrc() != message.crc())
        {
            return flawed("CRC " + Integer.toHexString(message.computeCrc()) + " where " +
                Integer.toHexString(message.crc()) + " was expected");
        }
        return isCompressed ? beginCompressed(memory, nextOffset) : BEGUN;
    }

    private int beginCompressed(final RecordMemory memory, final long nextOffset)
    {
        if (message.valueLength() <= 0)
        {
            return flawed("a compressed message without a value");
        }
        final boolean isDone = decompressed.decompress(
            message.compressionType(), message.magic(), memory, message.valueIndex(), message.valueLength());
        if (!isDone)
        {
            return flawed(decompressed.flaw);
        }
        recordCount = 0;
        long last = 0;
        set.wrap(decompressed.memory, 0, decompressed.length, 0);
        while (set.next())
        {
            if (recordCount > 0 && set.offset() <= last)
            {
                return flawed("offset " + set.offset() + " after " + last + " within a compressed message");
            }
            last = set.offset();
            firstOffset = recordCount == 0 ? last : firstOffset;
            recordCount++;
        }
        if (set.flaw() != null || recordCount == 0)
        {
            return flawed(set.flaw() == null ? "a compressed message without messages" : set.flaw());
        }
        final boolean isRelative = message.magic() == MAGIC_WITH_RELATIVE_OFFSETS && message.offset() != 0;
        offsetShift = isRelative ? message.offset() - last : 0;
        if (offsetShift < 0)
        {
            return flawed("offset " + last + " within a compressed message of offset " + lastOffset);
        }
        firstOffset += offsetShift;
        lastOffset = last + offsetShift;
        return lastOffset < nextOffset ? SKIPPED : BEGUN;
    }

    private int flawed(final String what)
    {
        flaw = what;
        return FLAWED;
    }

    void open(final int partition, final RecordFlyweight record)
    {
        if (isCompressed)
        {
            record.wrapLegacy(message, decompressed.memory, 0, decompressed.length, offsetShift, partition);
        }
        else
        {
            record.wrapLegacy(message, message.memory(), message.index(), message.limit(), 0, partition);
        }
    }

    void open(final int partition, final long nextOffset, final StoredBatchFlyweight stored)
    {
        stored.wrapLegacy(message, partition).range(firstOffset, lastOffset, recordCount, nextOffset);
    }

    boolean isCompressed()
    {
        return isCompressed;
    }

    String flaw()
    {
        return flaw + ", in the message at offset " + message.offset();
    }

    /**
     * Returns true if the size of a flawed message is sound, so that {@link #limit()} is the index after the message.
     */
    boolean isLimitKnown()
    {
        return message.isSizeSound();
    }

    int limit()
    {
        return message.limit();
    }

    /** Returns the offset of the last message; for a flawed message, the offset in its header. */
    long lastOffset()
    {
        return lastOffset;
    }
}
