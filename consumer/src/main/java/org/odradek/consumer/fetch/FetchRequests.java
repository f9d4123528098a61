// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.fetch.FetchRequestEncoder;

import java.util.Arrays;

/**
 * Prepares the fetch requests of one connection. A full request lists all fetchable partitions in rotation, because a
 * broker exceeds the limits for a large batch only at the first partition with data.
 */
final class FetchRequests
{
    private final TopicIdentity topic;
    private final ConsumerSettings settings;
    private final PartitionTable table;
    private final FetchSession session;
    private final FetchRequestEncoder encoder;
    private final RequestFrame frame;
    final DirtyPartitions dirty = new DirtyPartitions();

    int partitionCount;
    /** The number of partitions that the last request lists, whose ids are in {@link #slots}. */
    int slotCount;
    private int forgottenCount;
    private int heldCount;
    int frameLength;
    private int builtCount = -1;
    private int builtForgottenCount;
    private int builtVersion;
    private int builtTopicChanges;
    private int emptyAtChanges;
    private boolean isEmpty;
    int[] partitions = {};
    int[] slots = {};
    /** The partitions to forget; between two requests the array holds others for a moment. */
    private int[] forgotten = {};

    FetchRequests(
        final TopicIdentity topic,
        final PartitionTable table,
        final FetchSession session,
        final Environment environment)
    {
        settings = environment.settings();
        this.topic = topic;
        this.table = table;
        this.session = session;
        encoder = new FetchRequestEncoder(settings.clientId, topic.name(), settings.clientRack)
            .isolationLevel(settings.isReadCommitted ?
                FetchRequestEncoder.READ_COMMITTED : FetchRequestEncoder.READ_UNCOMMITTED);
        frame = new RequestFrame(environment.budget(), encoder.maxFrameLength(1, 0));
    }

    /** @return false if there is nothing to request now. */
    boolean prepare(final int version, final int maxBytes, final long nowNs)
    {
        if (isKnownEmpty())
        {
            return false;
        }
        final boolean isIncremental = session.begin(version, partitionCount, topic.changes());
        final boolean isAny = isIncremental ? prepareIncremental(nowNs) : prepareFull(nowNs);
        if (isAny)
        {
            isEmpty = false;
            write(version, maxBytes);
            assert isConsistent();
        }
        else
        {
            onEmpty(nowNs);
        }
        return isAny;
    }

    boolean findAny(final long nowNs)
    {
        if (isKnownEmpty())
        {
            return false;
        }
        for (int i = 0; i < partitionCount; i++)
        {
            if (table.isFetchable(partitions[i], nowNs))
            {
                return true;
            }
        }
        onEmpty(nowNs);
        return false;
    }

    private void onEmpty(final long nowNs)
    {
        isEmpty = !isAnyBackingOff(nowNs);
        emptyAtChanges = dirty.changes;
    }

    private boolean isKnownEmpty()
    {
        return isEmpty && dirty.changes == emptyAtChanges;
    }

    private boolean prepareFull(final long nowNs)
    {
        session.dropAll();
        dirty.clear();
        slotCount = 0;
        forgottenCount = 0;
        for (int i = 0; i < partitionCount; i++)
        {
            final int partition = partitions[i];
            if (isMine(partition) && table.isFetchable(partition, nowNs))
            {
                add(partition);
            }
            else
            {
                dirty.add(partition);
            }
        }
        return slotCount > 0;
    }

    /**
     * Moves the partitions with records in the response to a full request to the end of the list, as a broker does in a
     * session: a partition that fills each response must not keep others out of the responses. If there are none, the
     * first partition is moved.
     */
    void onRecords(final FetchFrame received)
    {
        int kept = 0;
        int moved = 0;
        for (int i = 0; i < partitionCount; i++)
        {
            final int partition = partitions[i];
            // A response has its partitions in the order of the request.
            if (moved < received.count ? received.partitions[moved] == partition : received.count == 0 && i == 0)
            {
                forgotten[moved++] = partition;
            }
            else
            {
                partitions[kept++] = partition;
            }
        }
        System.arraycopy(forgotten, 0, partitions, kept, moved);
    }

    /**
     * A broker ends a session when its last partition is forgotten, so a request that would leave no partition in the
     * session is not sent.
     */
    private boolean prepareIncremental(final long nowNs)
    {
        slotCount = 0;
        forgottenCount = 0;
        heldCount = session.heldCount;
        for (int i = 0; i < dirty.count; i++)
        {
            final int partition = dirty.partitions[i];
            if (isMine(partition) && table.isFetchable(partition, nowNs))
            {
                if (session.holds(partition) &&
                    table.partition(partition).highWatermark() == PartitionTable.NULL_OFFSET)
                {
                    // The partition was assigned again meanwhile: the broker sends its high watermark only if it
                    // changes.
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
            final int partition = dirty.partitions[i];
            if (isMine(partition) && table.partition(partition).isBackingOff(nowNs))
            {
                dirty.add(partition);
            }
        }
        return true;
    }

    private void list(final int partition)
    {
        final long offset = table.partition(partition).requestOffset;
        final int leaderEpoch = table.leaderEpoch(partition);
        // After a seek to the offset that the session holds, the partition is listed again. The response of the broker
        // then belongs to the new generation, even if it has no records.
        if (session.holds(partition, offset, leaderEpoch, table.generation(partition)))
        {
            return;
        }
        heldCount += session.holds(partition) ? 0 : 1;
        add(partition);
    }

    private void add(final int partition)
    {
        slots[slotCount++] = partition;
        session.hold(partition,
            table.partition(partition).requestOffset, table.leaderEpoch(partition), table.generation(partition));
        session.lagging(partition, table.partition(partition).isLagging());
    }

    /** Returns false if the partition has left the fetcher since it was added. */
    boolean isMine(final int partition)
    {
        return table.partition(partition).dirtySet == dirty;
    }

    private boolean isAnyBackingOff(final long nowNs)
    {
        for (int i = 0; i < dirty.count; i++)
        {
            if (table.partition(dirty.partitions[i]).isBackingOff(nowNs))
            {
                return true;
            }
        }
        return false;
    }

    private void write(final int version, final int maxBytes)
    {
        if (slotCount != builtCount || forgottenCount != builtForgottenCount || version != builtVersion ||
            topic.changes() != builtTopicChanges)
        {
            build(version);
        }
        encoder.session(session.id, session.epoch);
        for (int slot = 0; slot < forgottenCount; slot++)
        {
            session.drop(forgotten[slot]);
            encoder.forgotten(slot, forgotten[slot]);
        }
        // The partitions that lag share a response. The others have few records in it.
        final int sharing = session.laggingCount > 0 ? session.laggingCount : session.heldCount;
        final int partitionMaxBytes = settings.partitionMaxBytes(maxBytes, sharing);
        for (int slot = 0; slot < slotCount; slot++)
        {
            final int partition = slots[slot];
            encoder.entry(slot, partition,
                table.leaderEpoch(partition), table.partition(partition).requestOffset, partitionMaxBytes);
        }
        session.onSent();
    }

    private void build(final int version)
    {
        final int mostForgotten = session.isOpen() ? Math.max(partitionCount, forgottenCount) : 0;
        final int maxLength = encoder.maxFrameLength(Math.max(partitionCount, slotCount), mostForgotten);
        frameLength = encoder.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .build(frame.ofLength(maxLength), version, slotCount, forgottenCount);
        builtCount = slotCount;
        builtForgottenCount = forgottenCount;
        builtVersion = version;
        builtTopicChanges = topic.changes();
    }

    void limits(final boolean isBatched, final int maxBytes)
    {
        encoder.limits(
            isBatched ? settings.latencyBudgetMs : settings.fetchMaxWaitMs,
            isBatched ? settings.batchedMinBytes() : settings.fetchMinBytes,
            maxBytes);
    }

    RequestFrame frame(final int correlationId)
    {
        RequestHeaderEncoder.correlationId(frame.buffer(), correlationId);
        return frame;
    }

    void clearPartitions(final int capacity)
    {
        for (int i = 0; i < partitionCount; i++)
        {
            if (isMine(partitions[i]))
            {
                table.dirtySet(partitions[i], null);
            }
        }
        partitionCount = 0;
        if (capacity > partitions.length)
        {
            partitions = Arrays.copyOf(partitions, capacity);
            slots = Arrays.copyOf(slots, capacity);
            forgotten = Arrays.copyOf(forgotten, capacity);
            dirty.grow(capacity);
            session.ensureCapacity(capacity);
        }
    }

    void addPartition(final int partition)
    {
        partitions[partitionCount++] = partition;
        table.dirtySet(partition, dirty);
    }

    void free()
    {
        frame.free();
    }

    private boolean isConsistent()
    {
        boolean isConsistent = partitionCount <= partitions.length;
        for (int i = 0; i < slotCount && isConsistent; i++)
        {
            // Each listed partition belongs to this fetcher, and its response belongs to its current generation.
            isConsistent = isMine(slots[i]) && session.holds(slots[i], table.partition(slots[i]).requestOffset,
                table.leaderEpoch(slots[i]), table.generation(slots[i]));
        }
        for (int i = 0; i < forgottenCount && isConsistent; i++)
        {
            // A forgotten partition is not requested any more.
            isConsistent = !session.holds(forgotten[i]);
        }
        return isConsistent;
    }
}
