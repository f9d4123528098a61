// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.fetch.FetchRequestEncoder;

import java.util.Arrays;

/**
 * Makes the requests to one broker: which partitions each lists, and the frame. Without a session all that can be
 * fetched are listed, in rotation, because a batch larger than the limits comes back only for the first partition that
 * has data; within one the broker rotates, and only what has changed is listed.
 */
final class FetchRequests
{
    private final FetchTopic topic;
    private final FetchSettings settings;
    private final PartitionTable table;
    private final FetchSession session;
    private final FetchRequestEncoder encoder;
    private final RequestFrame frame;
    private final DirtyPartitions dirty = new DirtyPartitions();

    private int orderCount;
    private int rotation;
    private int slotCount;
    private int forgottenCount;
    private int heldCount;
    private int builtCount = -1;
    private int builtForgottenCount;
    private int builtVersion;
    private int builtTopicChanges;
    private int fruitlessChanges;
    private boolean isFruitless;
    private boolean isAllInSlots = true;
    private int[] order = {};
    private int[] slots = {};
    private int[] forgotten = {};

    FetchRequests(
        final ConnectionSettings connectionSettings,
        final FetchSettings settings,
        final FetchTopic topic,
        final PartitionTable table,
        final FetchSession session,
        final MemoryBudget budget)
    {
        this.settings = settings;
        this.topic = topic;
        this.table = table;
        this.session = session;
        encoder = new FetchRequestEncoder(connectionSettings.clientId(), topic.name(), settings.rackId())
            .maxWaitMs(settings.maxWaitMs())
            .minBytes(settings.minBytes())
            .maxBytes(settings.maxBytes())
            .isolationLevel(settings.isReadCommitted() ?
                FetchRequestEncoder.READ_COMMITTED : FetchRequestEncoder.READ_UNCOMMITTED);
        frame = new RequestFrame(budget, encoder.maxFrameLength(1, 0));
    }

    /**
     * Settle which partitions the next request lists.
     *
     * @param version of the request.
     * @param nowNs   of the duty cycle.
     * @return false if there is nothing to ask for now.
     */
    boolean prepare(final int version, final long nowNs)
    {
        if (isKnownFruitless())
        {
            return false;
        }
        final boolean isIncremental = session.begin(version, orderCount, topic.changes());
        final boolean isAny = isIncremental ? prepareIncremental(nowNs) : prepareFull(nowNs);
        if (isAny)
        {
            isFruitless = false;
            write(version);
        }
        else
        {
            noteFruitless(nowNs);
        }
        return isAny;
    }

    /**
     * Whether there is something to ask for now.
     */
    boolean isAny(final long nowNs)
    {
        if (isKnownFruitless())
        {
            return false;
        }
        for (int i = 0; i < orderCount; i++)
        {
            if (table.isFetchable(order[i], nowNs))
            {
                return true;
            }
        }
        noteFruitless(nowNs);
        return false;
    }

    /**
     * Nothing comes of looking again before a partition changes, unless one waits for time to pass.
     */
    private void noteFruitless(final long nowNs)
    {
        isFruitless = !isAnyBackingOff(nowNs);
        fruitlessChanges = dirty.changes();
    }

    private boolean isKnownFruitless()
    {
        return isFruitless && dirty.changes() == fruitlessChanges;
    }

    private boolean prepareFull(final long nowNs)
    {
        session.dropAll(slots, isAllInSlots ? slotCount : -1);
        isAllInSlots = true;
        dirty.clear();
        slotCount = 0;
        forgottenCount = 0;
        int at = rotation;
        for (int i = 0; i < orderCount; i++)
        {
            final int partition = order[at];
            at = at + 1 < orderCount ? at + 1 : 0;
            if (table.isFetchable(partition, nowNs))
            {
                slots[slotCount++] = partition;
            }
            else
            {
                dirty.add(partition);
            }
        }
        rotation = rotation + 1 < orderCount ? rotation + 1 : 0;
        return slotCount > 0;
    }

    /**
     * A session from which the last partition is forgotten ends, so then nothing is said until there is one again.
     */
    private boolean prepareIncremental(final long nowNs)
    {
        isAllInSlots = false;
        slotCount = 0;
        forgottenCount = 0;
        heldCount = session.heldCount();
        for (int i = 0; i < dirty.count(); i++)
        {
            final int partition = dirty.partition(i);
            if (isMine(partition) && table.isFetchable(partition, nowNs))
            {
                if (isUntold(partition))
                {
                    session.restart();
                    return prepareFull(nowNs);
                }
                list(partition);
            }
            else if (session.holds(partition))
            {
                forgotten[forgottenCount++] = partition;
                heldCount--;
            }
        }
        if (heldCount == 0)
        {
            return false;
        }
        final int before = dirty.clear();
        for (int i = 0; i < before; i++)
        {
            final int partition = dirty.partition(i);
            if (isMine(partition) && table.isBackingOff(partition, nowNs))
            {
                dirty.add(partition);
            }
        }
        return true;
    }

    private void list(final int partition)
    {
        final long offset = table.requestOffset(partition);
        final int leaderEpoch = table.leaderEpoch(partition);
        if (session.holds(partition, offset, leaderEpoch))
        {
            // It may have been left and come back to in between.
            session.hold(partition, offset, leaderEpoch, table.generation(partition));
            return;
        }
        heldCount += session.holds(partition) ? 0 : 1;
        slots[slotCount++] = partition;
    }

    /**
     * Assigned anew while the session held it: the broker will not tell of its log again unless that changes.
     */
    private boolean isUntold(final int partition)
    {
        return session.holds(partition) && table.partition(partition).highWatermark() == PartitionTable.NULL_OFFSET;
    }

    private boolean isMine(final int partition)
    {
        return table.dirtySet(partition) == dirty;
    }

    private boolean isAnyBackingOff(final long nowNs)
    {
        for (int i = 0; i < dirty.count(); i++)
        {
            if (table.isBackingOff(dirty.partition(i), nowNs))
            {
                return true;
            }
        }
        return false;
    }

    private void write(final int version)
    {
        if (slotCount != builtCount || forgottenCount != builtForgottenCount || version != builtVersion ||
            topic.changes() != builtTopicChanges)
        {
            build(version);
        }
        encoder.session(session.id(), session.epoch());
        for (int slot = 0; slot < slotCount; slot++)
        {
            final int partition = slots[slot];
            final long offset = table.requestOffset(partition);
            final int leaderEpoch = table.leaderEpoch(partition);
            session.hold(partition, offset, leaderEpoch, table.generation(partition));
            encoder.entry(slot, partition, leaderEpoch, offset, settings.partitionMaxBytes());
        }
        for (int slot = 0; slot < forgottenCount; slot++)
        {
            session.drop(forgotten[slot]);
            encoder.forgotten(slot, forgotten[slot]);
        }
        session.sent();
    }

    private void build(final int version)
    {
        final int mostForgotten = session.isOpen() ? Math.max(orderCount, forgottenCount) : 0;
        frame.ensureCapacity(encoder.maxFrameLength(Math.max(orderCount, slotCount), mostForgotten));
        encoder.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .build(frame.buffer(), version, slotCount, forgottenCount);
        builtCount = slotCount;
        builtForgottenCount = forgottenCount;
        builtVersion = version;
        builtTopicChanges = topic.changes();
    }

    /**
     * The request that was prepared.
     */
    RequestFrame frame(final int correlationId)
    {
        encoder.correlationId(correlationId);
        return frame;
    }

    int frameLength()
    {
        return encoder.frameLength();
    }

    /**
     * How many partitions the last request listed.
     */
    int listedCount()
    {
        return slotCount;
    }

    int listed(final int slot)
    {
        return slots[slot];
    }

    /**
     * Begin to list the partitions that this broker is asked for.
     *
     * @param capacity of the table.
     */
    void clearPartitions(final int capacity)
    {
        for (int i = 0; i < orderCount; i++)
        {
            if (isMine(order[i]))
            {
                table.dirtySet(order[i], null);
            }
        }
        orderCount = 0;
        rotation = 0;
        if (capacity > order.length)
        {
            order = Arrays.copyOf(order, capacity);
            slots = Arrays.copyOf(slots, capacity);
            forgotten = Arrays.copyOf(forgotten, capacity);
            dirty.ensureCapacity(capacity);
            session.ensureCapacity(capacity);
        }
    }

    void addPartition(final int partition)
    {
        order[orderCount++] = partition;
        table.dirtySet(partition, dirty);
    }

    /**
     * Another number whenever something that a request says of a partition may have dirty.
     */
    int changes()
    {
        return dirty.changes();
    }

    int partitionCount()
    {
        return orderCount;
    }

    int partition(final int at)
    {
        return order[at];
    }

    void free()
    {
        frame.free();
    }
}
