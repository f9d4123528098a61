// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.LegacyMessageSet;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.protocol.record.StoredBatchFlyweight;

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
     * Look at a message, and if it is compressed into what it holds, because only that says which offsets it has.
     *
     * @return {@link #BEGUN} if one of them may be wanted, {@link #SKIPPED}, {@link #CUT_OFF} or {@link #FLAWED}.
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
        // Some old producers gave a compressed message the offset 0, whatever those within.
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
            return flawed(decompressed.flaw());
        }
        recordCount = 0;
        set.wrap(decompressed.memory(), 0, decompressed.length(), 0);
        while (set.next())
        {
            lastOffset = set.offset();
            firstOffset = recordCount == 0 ? lastOffset : firstOffset;
            recordCount++;
        }
        if (set.flaw() != null || recordCount == 0)
        {
            lastOffset = message.offset();
            return flawed(set.flaw() == null ? "a compressed message that holds none" : set.flaw());
        }
        return shift(nextOffset);
    }

    private int shift(final long nextOffset)
    {
        final boolean isRelative = message.magic() == MAGIC_WITH_RELATIVE_OFFSETS && message.offset() != 0;
        offsetShift = isRelative ? message.offset() - lastOffset : 0;
        if (offsetShift < 0)
        {
            final long lastInner = lastOffset;
            lastOffset = message.offset();
            return flawed("offset " + lastInner + " within a compressed message of offset " + lastOffset);
        }
        firstOffset += offsetShift;
        lastOffset += offsetShift;
        return lastOffset < nextOffset ? SKIPPED : BEGUN;
    }

    private int flawed(final String what)
    {
        flaw = what;
        return FLAWED;
    }

    /**
     * Let a record stand before the first message.
     */
    void open(final int partition, final RecordFlyweight record)
    {
        if (isCompressed)
        {
            record.wrapLegacy(message, decompressed.memory(), 0, decompressed.length(), offsetShift, partition);
        }
        else
        {
            record.wrapLegacy(message, message.memory(), message.index(), message.limit(), 0, partition);
        }
    }

    /**
     * Let a view of a whole batch stand on it.
     */
    void open(final int partition, final long nextOffset, final StoredBatchFlyweight stored)
    {
        stored.wrapLegacy(message, partition).range(firstOffset, lastOffset, recordCount, nextOffset);
    }

    String flaw()
    {
        return flaw + ", in the message at offset " + message.offset();
    }

    /**
     * Whether a flawed message is as long as it claims.
     */
    boolean isLimitKnown()
    {
        return message.isSizeSound();
    }

    int limit()
    {
        return message.limit();
    }

    /**
     * Of a flawed one the offset it claims.
     */
    long lastOffset()
    {
        return lastOffset;
    }
}
