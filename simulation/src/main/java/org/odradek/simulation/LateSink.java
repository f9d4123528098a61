// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Where a member of a group with explicit commits passes its records on to: it acknowledges them late, those of each
 * partition in their order. The member commits what was acknowledged, and gives a partition up as the documented
 * revocation handler does.
 */
final class LateSink
{
    static final long MAX_DELAY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MIN_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** What was passed on and not acknowledged: until which offset, and when it will be. */
    private record Written(long nextOffset, long acknowledgedNs)
    {
    }

    /** One partition. */
    private static final class Entry
    {
        private final ArrayDeque<Written> written = new ArrayDeque<>();
        /** The offset after the last record that was acknowledged; at first where the member has begun. */
        private long acknowledged;
        private long committed;

        Entry(final long startOffset)
        {
            acknowledged = startOffset;
            committed = startOffset;
        }
    }

    private final Map<Integer, Entry> entries = new HashMap<>();
    private final MemberClock clock;
    private final Draw draw;

    LateSink(final MemberClock clock, final Draw draw)
    {
        this.clock = clock;
        this.draw = draw;
    }

    void clear()
    {
        entries.clear();
    }

    void onAssigned(final int partition, final long startOffset)
    {
        entries.put(partition, new Entry(startOffset));
    }

    /** Takes the records before an offset. */
    void write(final int partition, final long nextOffset)
    {
        final Entry entry = entries.get(partition);
        if (entry != null)
        {
            final long earliestNs = entry.written.isEmpty() ? 0 : entry.written.getLast().acknowledgedNs;
            entry.written.add(new Written(
                nextOffset, Math.max(earliestNs, clock.nowNs() + draw.logBetween(MIN_DELAY_NS, MAX_DELAY_NS))));
        }
    }

    /** Returns the offset after the last record that was acknowledged, or where the member has begun. */
    long acknowledged(final int partition)
    {
        final Entry entry = entries.get(partition);
        while (!entry.written.isEmpty() && entry.written.getFirst().acknowledgedNs <= clock.nowNs())
        {
            entry.acknowledged = entry.written.remove().nextOffset;
        }
        return entry.acknowledged;
    }

    /** Returns whether all that was passed on has been acknowledged. */
    boolean isDone(final int partition)
    {
        acknowledged(partition);
        return entries.get(partition).written.isEmpty();
    }

    /** Returns the offset at which the next owner is to begin: no lower one is to be committed after that. */
    long takeAll(final int partition, final long nextOffset)
    {
        entries.get(partition).committed = nextOffset;
        return nextOffset;
    }

    /** Returns the offset to commit, or -1 if nothing was acknowledged since the last call. */
    long takeCommit(final int partition)
    {
        final Entry entry = entries.get(partition);
        final long next = entry == null ? -1 : acknowledged(partition);
        final boolean isNew = next > (entry == null ? -1 : entry.committed);
        if (isNew)
        {
            entry.committed = next;
        }
        return isNew ? next : -1;
    }
}
