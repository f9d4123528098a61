// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/**
 * Walks a set of messages of magic 0 or 1, none of them compressed: the one message of a plain set, or what the value
 * of a compressed message held. Offsets within a compressed message of magic 1 count from its first, and the message
 * itself has the offset of its last, so the set is walked once to learn how far they are off.
 */
public final class LegacyMessageSet
{
    /** Offset of a set that has none, because it is empty or flawed. */
    public static final long NULL_OFFSET = -1;

    private int startIndex;
    private int nextIndex;
    private int limit;
    private long offsetShift;
    private String flaw;
    private RecordMemory memory;
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();

    /**
     * Stand before the first message.
     *
     * @param newMemory      that holds the set.
     * @param index          of the first message.
     * @param newLimit       first index after the last one.
     * @param newOffsetShift to add to each offset.
     * @return this.
     */
    public LegacyMessageSet wrap(
        final RecordMemory newMemory, final int index, final int newLimit, final long newOffsetShift)
    {
        memory = newMemory;
        startIndex = index;
        nextIndex = index;
        limit = newLimit;
        offsetShift = newOffsetShift;
        flaw = null;
        return this;
    }

    /**
     * Go to the next message.
     *
     * @return false after the last one, or at the first that cannot be one: then {@link #flaw()} says why.
     */
    public boolean next()
    {
        if (nextIndex == limit)
        {
            return false;
        }
        final int status = message.wrap(memory, nextIndex, limit);
        if (status != LegacyMessageFlyweight.COMPLETE)
        {
            flaw = status == LegacyMessageFlyweight.CUT_OFF ?
                RecordText.cutOffMessage(nextIndex - startIndex) : message.flaw();
            return false;
        }
        if (message.compressionType() != CompressionType.NONE)
        {
            flaw = RecordText.nestedCompression();
            return false;
        }
        nextIndex = message.limit();
        return true;
    }

    /**
     * Walk to the end.
     *
     * @return the offset of the last message, or {@link #NULL_OFFSET}.
     */
    public long lastOffset()
    {
        long last = NULL_OFFSET;
        while (next())
        {
            last = offset();
        }
        return flaw == null ? last : NULL_OFFSET;
    }

    public long offset()
    {
        return message.offset() + offsetShift;
    }

    public LegacyMessageFlyweight message()
    {
        return message;
    }

    public String flaw()
    {
        return flaw;
    }
}
