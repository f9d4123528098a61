// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.Acknowledgements;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Where a member of a group passes its records on to: it acknowledges them late, those of each partition in their
 * order. A member with explicit commits commits what was acknowledged, and gives a partition up as the documented
 * revocation handler does. A member with the policy of acknowledgements is given them, some of them again after a later
 * one, and some false ones; late ones of a partition that it has lost, too.
 */
final class LateSink
{
    static final long MAX_DELAY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MIN_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** How far a false acknowledgement is beyond the record, and how many records have none. */
    private static final long FAR = 1_000_000_000L;
    private static final int FALSE = 100;
    /** How many acknowledgements are not followed by one that is below it. */
    private static final int LOWER = 20;

    /** What was passed on and not acknowledged: until which offset, and when it will be. */
    private record Written(long fromOffset, long nextOffset, long acknowledgedNs)
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
    private final GroupWorld world;
    private final MemberClock clock;
    private final Draw draw;
    private final Draw lowerDraw;

    /** @param lowerDraw draws which acknowledgements are followed by one that is below it. */
    LateSink(final GroupWorld world, final MemberClock clock, final Draw draw, final Draw lowerDraw)
    {
        this.world = world;
        this.clock = clock;
        this.draw = draw;
        this.lowerDraw = lowerDraw;
    }

    void clear()
    {
        entries.clear();
    }

    void onAssigned(final int partition, final long startOffset)
    {
        entries.put(partition, new Entry(startOffset));
    }

    /** Takes the records from an offset, and before another one. */
    void write(final int partition, final long fromOffset, final long nextOffset)
    {
        final Entry entry = entries.get(partition);
        if (entry != null)
        {
            add(entry, fromOffset, nextOffset);
        }
    }

    /** Returns when they are acknowledged. */
    private long add(final Entry entry, final long fromOffset, final long nextOffset)
    {
        final long earliestNs = entry.written.isEmpty() ? 0 : entry.written.getLast().acknowledgedNs;
        final long acknowledgedNs =
            Math.max(earliestNs, clock.nowNs() + draw.logBetween(MIN_DELAY_NS, MAX_DELAY_NS));
        entry.written.add(new Written(fromOffset, nextOffset, acknowledgedNs));
        return acknowledgedNs;
    }

    /**
     * Takes the records of an epoch from an offset, and before another one, and acknowledges them late.
     *
     * @param mayClaim whether it may acknowledge more than there is until then.
     */
    void write(
        final int partition,
        final int epoch,
        final long fromOffset,
        final long nextOffset,
        final boolean mayClaim,
        final Acknowledgements acknowledgements)
    {
        final Entry entry = entries.get(partition);
        world.clock.at(add(entry, fromOffset, nextOffset), () ->
        {
            final Written written = entry.written.remove();
            acknowledgements.acknowledge(partition, epoch, written.nextOffset);
            if (lowerDraw.oneIn(LOWER))
            {
                acknowledgements.acknowledge(partition, epoch, written.fromOffset);
            }
        });
        if (mayClaim && draw.oneIn(FALSE))
        {
            acknowledgements.acknowledge(partition, epoch, nextOffset + FAR);
        }
    }

    /** Returns whether only a false acknowledgement names an offset. */
    static boolean isFalse(final long offset)
    {
        return offset > FAR;
    }

    /** Returns the offset of the first record that is not acknowledged, or a high one if all are. */
    long firstPending(final int partition)
    {
        final Entry entry = entries.get(partition);
        return entry == null || entry.written.isEmpty() ? Long.MAX_VALUE :
            entry.written.stream().mapToLong(Written::fromOffset).min().getAsLong();
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
