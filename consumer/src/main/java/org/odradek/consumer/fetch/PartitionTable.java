// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * What is known of each partition, in arrays indexed by partition id. The parts of the consumer speak to each other
 * through it: below leaves a state or a mark here, and above finds it on its next look.
 * <p>
 * Each partition has a {@code generation}: a number that grows whenever what is on its way from a broker is no longer
 * wanted (sought, paused, unassigned, stopped, another leader). What was asked for under an older generation is
 * dropped.
 */
public final class PartitionTable
{
    /** Not read. */
    public static final byte UNASSIGNED = 0;
    /** To be read from a place that a broker must be asked for. */
    public static final byte AWAITING_OFFSET = 1;
    /** Being read. */
    public static final byte FETCHING = 2;
    /** Not read until it is sought or assigned anew, because of an error. */
    public static final byte STOPPED = 3;
    /** To be read on once its new leader has said that its log holds what was read from the one before. */
    public static final byte AWAITING_VALIDATION = 4;

    public static final long NULL_OFFSET = -1;
    public static final int NULL_LEADER = -1;
    public static final int NULL_EPOCH = -1;

    private int capacity;
    private final TableMarks marks = new TableMarks();
    private final PartitionLogs logs = new PartitionLogs();
    private final PartitionSearches searches = new PartitionSearches();
    private final PartitionRetries retries = new PartitionRetries();
    private final PartitionSources sources = new PartitionSources();
    private final PartitionOffsets offsets = new PartitionOffsets(sources);
    private byte[] states = {};
    private boolean[] paused = {};

    /**
     * Make room for partitions 0 to count - 1. What a caller holds of the arrays is stale after.
     *
     * @param count of partitions.
     */
    public void ensureCapacity(final int count)
    {
        if (count <= capacity)
        {
            return;
        }
        states = Arrays.copyOf(states, count);
        paused = Arrays.copyOf(paused, count);
        offsets.ensureCapacity(capacity, count);
        searches.ensureCapacity(count);
        logs.ensureCapacity(capacity, count);
        retries.ensureCapacity(count);
        sources.ensureCapacity(capacity, count);
        capacity = count;
    }

    private void clear(final int partition)
    {
        offsets.clear(partition);
        logs.clear(partition);
        retries.clear(partition);
        paused[partition] = false;
    }

    /**
     * Read a partition from the place that a timestamp stands for.
     *
     * @param partition      whose room has been made.
     * @param startTimestamp as ListOffsets takes it.
     */
    public void assignAtTimestamp(final int partition, final long startTimestamp)
    {
        assign(partition, AWAITING_OFFSET);
        searches.begin(partition, startTimestamp);
    }

    /**
     * Read a partition from an offset.
     *
     * @param partition whose room has been made.
     * @param offset    of the first record wanted.
     */
    public void assignAtOffset(final int partition, final long offset)
    {
        assign(partition, FETCHING);
        searches.end(partition);
        offsets.set(partition, offset, NULL_EPOCH);
        offsets.request(partition, offset);
    }

    private void assign(final int partition, final byte state)
    {
        clear(partition);
        states[partition] = state;
        invalidate(partition);
        logs.beginCatchUp(partition);
        marks.unsettle(true);
        marks.changeAssignment();
    }

    /** Read a partition no longer. */
    public void unassign(final int partition)
    {
        states[partition] = UNASSIGNED;
        clear(partition);
        invalidate(partition);
        marks.changeAssignment();
    }

    /** Go on from another offset; also ends a stop. */
    public void seek(final int partition, final long offset)
    {
        seek(partition, offset, NULL_EPOCH);
    }

    /**
     * Go on from another offset of which the broker has told the epoch.
     *
     * @param partition   an assigned one.
     * @param offset      of the next record wanted.
     * @param offsetEpoch leader epoch of the record before, or of that one itself; {@link #NULL_EPOCH} if not known.
     */
    public void seek(final int partition, final long offset, final int offsetEpoch)
    {
        offsets.set(partition, offset, offsetEpoch);
        states[partition] = FETCHING;
        retries.clear(partition);
        logs.beginCatchUp(partition);
        invalidate(partition);
    }

    /**
     * Look for another place to go on from; until it is found the next offset stays what it was.
     *
     * @param partition an assigned one.
     * @param timestamp as ListOffsets takes it.
     */
    public void search(final int partition, final long timestamp)
    {
        states[partition] = AWAITING_OFFSET;
        searches.begin(partition, timestamp);
        marks.unsettle(true);
        invalidate(partition);
    }

    /**
     * The leader's log holds what was read from the one before.
     *
     * @param partition that is {@link #AWAITING_VALIDATION}.
     */
    public void validated(final int partition)
    {
        states[partition] = FETCHING;
        retries.clear(partition);
        sources.changed(partition);
    }

    /** As {@link PartitionOffsets#refuse}, where its handler has not stopped or unassigned the partition either. */
    boolean refuse(final int partition, final long offset, final long nextOffset, final int generation)
    {
        return states[partition] == FETCHING && offsets.refuse(partition, offset, nextOffset, generation);
    }

    public void pause(final int partition)
    {
        paused[partition] = true;
        invalidate(partition);
    }

    public void resume(final int partition)
    {
        paused[partition] = false;
        sources.changed(partition);
    }

    /**
     * Read the partition no further, because of an error.
     *
     * @param partition an assigned one.
     * @param errorCode of the broker, or -1.
     */
    public void stop(final int partition, final short errorCode)
    {
        states[partition] = STOPPED;
        retries.failed(partition, errorCode);
        invalidate(partition);
    }

    /**
     * What is on its way of this partition is no longer wanted; ask again from the next offset to deliver.
     *
     * @param partition an assigned one.
     */
    public void invalidate(final int partition)
    {
        offsets.invalidate(partition);
    }

    /**
     * Note the leader of a partition. Where a record of an older epoch was read last, the new leader's log may part
     * from the one it was read from, and the partition waits until that is known.
     *
     * @param partition   whose room has been made.
     * @param leaderId    or {@link #NULL_LEADER}.
     * @param leaderEpoch or {@link #NULL_EPOCH}.
     * @return true if it is another than was known.
     */
    public boolean leader(final int partition, final int leaderId, final int leaderEpoch)
    {
        if (leaderId(partition) == leaderId && leaderEpoch(partition) == leaderEpoch)
        {
            return false;
        }
        if (sources.nodeId(partition) != leaderId)
        {
            marks.changeAssignment();
        }
        if (states[partition] == FETCHING && offsetEpoch(partition) != NULL_EPOCH &&
            leaderEpoch != leaderEpoch(partition) && leaderEpoch > offsetEpoch(partition))
        {
            states[partition] = AWAITING_VALIDATION;
        }
        marks.unsettle(leaderId == NULL_LEADER || states[partition] == AWAITING_VALIDATION);
        sources.leader(partition, leaderId, leaderEpoch);
        retries.end(partition);
        invalidate(partition);
        return true;
    }

    /**
     * Ask for a partition again only after a while.
     *
     * @param partition an assigned one.
     * @param errorCode why.
     * @param untilNs   time of the duty cycle at which to ask again.
     * @return true if the error is another than the last one.
     */
    public boolean backOff(final int partition, final short errorCode, final long untilNs)
    {
        marks.unsettle(true);
        sources.changed(partition);
        return retries.backOff(partition, errorCode, untilNs);
    }

    /**
     * Note what a response without error says of a partition.
     *
     * @param partition        an assigned one.
     * @param highWatermark    or -1.
     * @param lastStableOffset or -1.
     * @param logStartOffset   or -1.
     */
    public void progress(
        final int partition, final long highWatermark, final long lastStableOffset, final long logStartOffset)
    {
        logs.set(partition, highWatermark, lastStableOffset, logStartOffset);
        retries.clear(partition);
    }

    /**
     * Whether a partition is to be asked for now.
     *
     * @param partition any with room.
     * @param nowNs     of the duty cycle.
     * @return true if it is read, not paused and not backing off.
     */
    public boolean isFetchable(final int partition, final long nowNs)
    {
        return states[partition] == FETCHING && !paused[partition] && !retries.isBackingOff(partition, nowNs);
    }

    public boolean isBackingOff(final int partition, final long nowNs)
    {
        return retries.isBackingOff(partition, nowNs);
    }

    /** Whether the partition is being read from an offset, though it may have to wait. */
    public boolean hasPlace(final int partition)
    {
        return states[partition] == FETCHING || states[partition] == AWAITING_VALIDATION;
    }

    public boolean isAssigned(final int partition)
    {
        return partition >= 0 && partition < capacity && states[partition] != UNASSIGNED;
    }

    public int capacity()
    {
        return capacity;
    }

    public byte state(final int partition)
    {
        return states[partition];
    }

    public boolean isPaused(final int partition)
    {
        return paused[partition];
    }

    public int generation(final int partition)
    {
        return offsets.generation(partition);
    }

    public int leaderId(final int partition)
    {
        return sources.leaderId(partition);
    }

    public int leaderEpoch(final int partition)
    {
        return sources.leaderEpoch(partition);
    }

    /** The next offset to deliver, or {@link #NULL_OFFSET} while it is not known. */
    public long nextOffset(final int partition)
    {
        return offsets.next(partition);
    }

    /** Leader epoch of the last record before the next offset, or {@link #NULL_EPOCH} while it is not known. */
    public int offsetEpoch(final int partition)
    {
        return offsets.epoch(partition);
    }

    /** How far the partitions have been delivered and asked for. */
    PartitionOffsets offsets()
    {
        return offsets;
    }

    /** What brokers have told of the logs. */
    public PartitionLogs logs()
    {
        return logs;
    }

    /** What is to be asked for partitions that are {@link #AWAITING_OFFSET}. */
    public PartitionSearches searches()
    {
        return searches;
    }

    /** From which brokers the partitions are read. */
    public PartitionSources sources()
    {
        return sources;
    }

    /** What has been marked. */
    public TableMarks marks()
    {
        return marks;
    }

    /**
     * Look whether some partition is still waiting for time to pass.
     *
     * @param nowNs of the duty cycle.
     * @return {@link TableMarks#isUnsettled()}.
     */
    public boolean settle(final long nowNs)
    {
        if (marks.isUnsettled())
        {
            marks.settle();
            for (int p = 0; p < capacity; p++)
            {
                marks.unsettle(states[p] == AWAITING_OFFSET || states[p] == AWAITING_VALIDATION ||
                    states[p] == FETCHING && retries.isBackingOff(p, nowNs) ||
                    states[p] != UNASSIGNED && sources.leaderId(p) == NULL_LEADER);
            }
        }
        return marks.isUnsettled();
    }

    /**
     * A line on one partition.
     *
     * @param partition any with room.
     * @return a line of text.
     */
    public String describe(final int partition)
    {
        return PartitionDescription.of(this, partition, retries.errorCode(partition));
    }
}
