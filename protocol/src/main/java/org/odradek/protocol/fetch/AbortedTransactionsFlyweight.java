// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.DirectBuffer;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireReader;

/**
 * A cursor over the aborted transactions of one partition of a Fetch response, which are in no particular order. It is
 * valid as long as the frame.
 * <pre>
 *  producerId          int64
 *  firstOffset         int64
 *  tags                        from 12
 * </pre>
 */
public final class AbortedTransactionsFlyweight
{
    private final WireReader reader = new WireReader();
    private int entriesLeft;
    private long producerId;
    private long firstOffset;

    /** @param count as returned by the {@code abortedTransactionCount()} of the response. */
    public AbortedTransactionsFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int count, final boolean isFlexible)
    {
        reader.wrap(buffer, index, limit, isFlexible);
        entriesLeft = count;
        return this;
    }

    public boolean next()
    {
        if (entriesLeft <= 0)
        {
            return false;
        }
        entriesLeft--;
        producerId = reader.int64(Field.PRODUCER_ID);
        firstOffset = reader.int64(Field.FIRST_OFFSET);
        reader.skipTags();
        return true;
    }

    public long producerId()
    {
        return producerId;
    }

    public long firstOffset()
    {
        return firstOffset;
    }
}
