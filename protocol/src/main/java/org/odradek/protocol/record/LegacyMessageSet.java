// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

/**
 * A cursor over a set of uncompressed messages of magic 0 or 1: either a single message, or the decompressed value of a
 * compressed message. Offsets within a compressed message of magic 1 are relative to its first message, and the
 * compressed message has the offset of its last one; {@link #lastOffset()} is used to compute the difference.
 */
public final class LegacyMessageSet
{
    /** Last offset of a set that is empty or malformed. */
    public static final long NULL_OFFSET = -1;

    private int startIndex;
    private int nextIndex;
    private int limit;
    private long offsetShift;
    private String flaw;
    private RecordMemory memory;
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();

    /**
     * Moves to before the first message.
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
     * Moves to the next message.
     *
     * @return false after the last message, or if the next one is malformed: then {@link #flaw()} describes it.
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
                "a message cut off at byte " + (nextIndex - startIndex) + " of a message set" : message.flaw();
            return false;
        }
        if (message.compressionType() != CompressionType.NONE)
        {
            flaw = "a compressed message within a compressed one";
            return false;
        }
        nextIndex = message.limit();
        return true;
    }

    /**
     * Moves to the end.
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
