// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.concurrent.EpochClock;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Start;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;

/**
 * Assigns the partitions that are read: those that the settings name, all present and future partitions of the topic, a
 * share of them, or those that a group assigns. A partition that begins at a committed offset waits until the
 * coordinator of the group has answered.
 */
public final class PartitionAssignment
{
    public interface CommittedOffset
    {
        CommittedOffsets request(String groupId, int partition);

        void cancel(CommittedOffsets request);
    }

    private static final class Pending
    {
        final int partition;
        final int lookupId;
        final Start position;
        CommittedOffsets request;

        Pending(final int partition, final int lookupId, final Start position)
        {
            this.partition = partition;
            this.lookupId = lookupId;
            this.position = position;
        }
    }

    private final ConsumerSettings settings;
    private final EpochClock epochClock;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerListener listener;
    private final CommittedOffset committedOffset;
    private final List<Pending> pending = new ArrayList<>();
    private int knownCount;
    private int initialCount;

    public PartitionAssignment(
        final PartitionTable table,
        final PartitionErrors errors,
        final Environment environment,
        final CommittedOffset committedOffset)
    {
        settings = environment.settings();
        epochClock = environment.clock()::epochMs;
        listener = environment.listener();
        this.table = table;
        this.errors = errors;
        this.committedOffset = committedOffset;
    }

    public void assignNamed()
    {
        if (settings.partitions != null)
        {
            for (final int partition : settings.partitions)
            {
                assign(partition, settings.startPosition(partition));
            }
        }
    }

    /**
     * A partition that was added to the topic after the first metadata begins at its first record, unless the group has
     * committed an offset or the settings have a start position for this partition.
     */
    public void assign(final int partition)
    {
        if (partition >= knownCount)
        {
            table.requestMetadata();
        }
        final boolean isAdded = partition >= initialCount && !settings.startPositions.containsKey(partition);
        assign(partition, isAdded ? Start.committed(settings.group.id, Start.EARLIEST) :
            settings.startPosition(partition));
    }

    public void assign(final int partition, final Start position)
    {
        final Start start = position.at(partition, settings.topic, epochClock);
        table.ensureCapacity(partition + 1);
        if (start.groupId() != null)
        {
            table.assignAtCommittedOffset(partition);
            pending.add(new Pending(partition, table.partition(partition).lookup().id(), start));
        }
        else if (start.isOffset())
        {
            table.assignAtOffset(partition, start.value(), start.leaderEpoch());
        }
        else
        {
            table.assignAtTimestamp(partition, start.value());
        }
    }

    /**
     * Assigns new partitions of the topic, unless the settings or a group name the partitions, and partitions whose
     * committed offset has arrived.
     *
     * @param count the number of the topic's partitions; 0 until metadata has arrived.
     */
    public void doWork(final int count)
    {
        if (count > knownCount)
        {
            initialCount = knownCount == 0 ? count : initialCount;
            if (settings.partitions == null && settings.group == null)
            {
                assignAdded(count);
            }
            knownCount = count;
        }
        for (int i = pending.size() - 1; i >= 0; i--)
        {
            if (advance(pending.get(i)))
            {
                pending.remove(i);
            }
        }
        assert initialCount <= knownCount;
    }

    private void assignAdded(final int count)
    {
        for (int p = knownCount; p < count; p++)
        {
            if (!table.isAssigned(p) && (settings.share == null || settings.share.test(p)))
            {
                assign(p, knownCount == 0 ? settings.startPosition(p) :
                    settings.startPositions.getOrDefault(p, Start.EARLIEST));
                listener.onPartitionAdded(p);
            }
        }
    }

    /** @return false if the partition must wait longer. */
    private boolean advance(final Pending start)
    {
        final boolean isStale = table.state(start.partition) != PartitionTable.AWAITING_COMMITTED_OFFSET ||
            table.partition(start.partition).lookup().id() != start.lookupId;
        if (!isStale && start.request == null && start.partition < knownCount)
        {
            request(start);
        }
        if (isStale && start.request != null)
        {
            committedOffset.cancel(start.request);
        }
        return isStale || start.request != null && start.request.isDone() && onCommittedOffset(start);
    }

    private void request(final Pending start)
    {
        start.request = committedOffset.request(start.position.groupId(), start.partition);
    }

    private boolean onCommittedOffset(final Pending start)
    {
        final CommittedOffsets committed = start.request;
        final int partition = start.partition;
        if (committed.isFailed())
        {
            // The error has been reported. An administrator may still grant the rights or create the topic again.
            final boolean isRetried = settings.group != null ||
                ErrorCode.isUnknownPartition(committed.errorCode()) ||
                committed.errorCode() == ErrorCode.GROUP_AUTHORIZATION_FAILED ||
                committed.errorCode() == ErrorCode.TOPIC_AUTHORIZATION_FAILED;
            if (isRetried)
            {
                request(start);
            }
            else
            {
                errors.stop(partition, StopReason.BROKER_ERROR, committed.errorCode(), null);
            }
            return !isRetried;
        }
        final long offset = committed.offset(partition);
        final boolean isPaused = table.isPaused(partition);
        assign(partition, offset == CommittedOffsets.NULL_OFFSET ? start.position.otherwise() :
            Start.offset(offset, committed.leaderEpoch(partition)));
        if (isPaused)
        {
            table.pause(partition);
        }
        return true;
    }
}
