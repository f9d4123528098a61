/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
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
    /**
     * Not read.
     */
    public static final byte UNASSIGNED = 0;
    /**
     * To be read from a place that a broker must be asked for.
     */
    public static final byte AWAITING_OFFSET = 1;
    /**
     * Being read.
     */
    public static final byte FETCHING = 2;
    /**
     * Not read until it is sought or assigned anew, because of an error.
     */
    public static final byte STOPPED = 3;

    public static final long NULL_OFFSET = -1;
    public static final int NULL_LEADER = -1;
    public static final int NULL_EPOCH = -1;

    private static final String[] STATE_NAMES = {"unassigned", "awaiting offset", "fetching", "stopped"};

    private int capacity;
    private int assignedCount;
    private boolean isMetadataWanted;
    private boolean isAssignmentChanged;
    private boolean isUnsettled = true;
    private byte[] states = {};
    private boolean[] paused = {};
    private int[] generations = {};
    private int[] leaderIds = {};
    private int[] leaderEpochs = {};
    private short[] errorCodes = {};
    private long[] nextOffsets = {};
    private long[] requestOffsets = {};
    private long[] highWatermarks = {};
    private long[] lastStableOffsets = {};
    private long[] logStartOffsets = {};
    private long[] startTimestamps = {};
    private int[] startCounts = {};
    private long[] retryAtNs = {};

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
        generations = Arrays.copyOf(generations, count);
        leaderIds = Arrays.copyOf(leaderIds, count);
        leaderEpochs = Arrays.copyOf(leaderEpochs, count);
        errorCodes = Arrays.copyOf(errorCodes, count);
        nextOffsets = Arrays.copyOf(nextOffsets, count);
        requestOffsets = Arrays.copyOf(requestOffsets, count);
        highWatermarks = Arrays.copyOf(highWatermarks, count);
        lastStableOffsets = Arrays.copyOf(lastStableOffsets, count);
        logStartOffsets = Arrays.copyOf(logStartOffsets, count);
        startTimestamps = Arrays.copyOf(startTimestamps, count);
        startCounts = Arrays.copyOf(startCounts, count);
        retryAtNs = Arrays.copyOf(retryAtNs, count);
        for (int p = capacity; p < count; p++)
        {
            leaderIds[p] = NULL_LEADER;
            leaderEpochs[p] = NULL_EPOCH;
            clear(p);
        }
        capacity = count;
    }

    private void clear(final int partition)
    {
        nextOffsets[partition] = NULL_OFFSET;
        requestOffsets[partition] = NULL_OFFSET;
        highWatermarks[partition] = NULL_OFFSET;
        lastStableOffsets[partition] = NULL_OFFSET;
        logStartOffsets[partition] = NULL_OFFSET;
        retryAtNs[partition] = 0;
        errorCodes[partition] = 0;
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
        startTimestamps[partition] = startTimestamp;
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
        nextOffsets[partition] = offset;
        requestOffsets[partition] = offset;
    }

    private void assign(final int partition, final byte state)
    {
        if (states[partition] == UNASSIGNED)
        {
            assignedCount++;
        }
        clear(partition);
        states[partition] = state;
        generations[partition]++;
        startCounts[partition]++;
        isUnsettled = true;
        isAssignmentChanged = true;
    }

    /**
     * Read a partition no longer.
     *
     * @param partition an assigned one.
     */
    public void unassign(final int partition)
    {
        states[partition] = UNASSIGNED;
        clear(partition);
        generations[partition]++;
        assignedCount--;
        isAssignmentChanged = true;
    }

    /**
     * Go on from another offset; also ends a stop.
     *
     * @param partition an assigned one.
     * @param offset    of the next record wanted.
     */
    public void seek(final int partition, final long offset)
    {
        nextOffsets[partition] = offset;
        states[partition] = FETCHING;
        retryAtNs[partition] = 0;
        errorCodes[partition] = 0;
        invalidate(partition);
    }

    /**
     * A batch has been delivered to its end.
     */
    void delivered(final int partition, final long nextOffset)
    {
        nextOffsets[partition] = nextOffset;
        requestOffsets[partition] = Math.max(requestOffsets[partition], nextOffset);
    }

    /**
     * A record or batch was refused: it is the next to deliver again, unless its handler has sought or unassigned it.
     *
     * @param nextOffset behind it.
     * @param generation under which it was delivered: if it is over, the record has to be asked for again.
     * @return true if it is still there to be delivered.
     */
    boolean refuse(final int partition, final long offset, final long nextOffset, final int generation)
    {
        if (states[partition] != FETCHING || nextOffsets[partition] != nextOffset)
        {
            return false;
        }
        nextOffsets[partition] = offset;
        if (generations[partition] != generation)
        {
            requestOffsets[partition] = offset;
        }
        return true;
    }

    public void pause(final int partition)
    {
        paused[partition] = true;
        invalidate(partition);
    }

    public void resume(final int partition)
    {
        paused[partition] = false;
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
        errorCodes[partition] = errorCode;
        invalidate(partition);
    }

    /**
     * What is on its way of this partition is no longer wanted; ask again from the next offset to deliver.
     *
     * @param partition an assigned one.
     */
    public void invalidate(final int partition)
    {
        generations[partition]++;
        requestOffsets[partition] = nextOffsets[partition];
    }

    /**
     * Note the leader of a partition.
     *
     * @param partition   whose room has been made.
     * @param leaderId    or {@link #NULL_LEADER}.
     * @param leaderEpoch or {@link #NULL_EPOCH}.
     * @return true if it is another than was known.
     */
    public boolean leader(final int partition, final int leaderId, final int leaderEpoch)
    {
        if (leaderIds[partition] == leaderId && leaderEpochs[partition] == leaderEpoch)
        {
            return false;
        }
        isAssignmentChanged |= leaderIds[partition] != leaderId;
        isUnsettled |= leaderId == NULL_LEADER;
        leaderIds[partition] = leaderId;
        leaderEpochs[partition] = leaderEpoch;
        retryAtNs[partition] = 0;
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
        final boolean isNew = errorCodes[partition] != errorCode;
        errorCodes[partition] = errorCode;
        retryAtNs[partition] = untilNs == 0 ? 1 : untilNs;
        isUnsettled = true;
        return isNew;
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
        highWatermarks[partition] = highWatermark;
        lastStableOffsets[partition] = lastStableOffset;
        logStartOffsets[partition] = logStartOffset;
        errorCodes[partition] = 0;
        retryAtNs[partition] = 0;
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
        return states[partition] == FETCHING && !paused[partition] &&
            (retryAtNs[partition] == 0 || retryAtNs[partition] - nowNs <= 0);
    }

    public boolean isAssigned(final int partition)
    {
        return partition >= 0 && partition < capacity && states[partition] != UNASSIGNED;
    }

    public int capacity()
    {
        return capacity;
    }

    public int assignedCount()
    {
        return assignedCount;
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
        return generations[partition];
    }

    int[] generations()
    {
        return generations;
    }

    public int leaderId(final int partition)
    {
        return leaderIds[partition];
    }

    public int leaderEpoch(final int partition)
    {
        return leaderEpochs[partition];
    }

    /**
     * The next offset to deliver, or {@link #NULL_OFFSET} while it is not known.
     */
    public long nextOffset(final int partition)
    {
        return nextOffsets[partition];
    }

    long[] nextOffsets()
    {
        return nextOffsets;
    }

    /**
     * The next offset to ask for: ahead of the next to deliver by what has arrived and is being delivered.
     */
    public long requestOffset(final int partition)
    {
        return requestOffsets[partition];
    }

    void requestOffset(final int partition, final long offset)
    {
        requestOffsets[partition] = offset;
    }

    public long highWatermark(final int partition)
    {
        return highWatermarks[partition];
    }

    public long lastStableOffset(final int partition)
    {
        return lastStableOffsets[partition];
    }

    public long logStartOffset(final int partition)
    {
        return logStartOffsets[partition];
    }

    public long startTimestamp(final int partition)
    {
        return startTimestamps[partition];
    }

    /**
     * How often the partition has been assigned; an answer to an older question for its place is stale.
     */
    public int startCount(final int partition)
    {
        return startCounts[partition];
    }

    /**
     * Mark: what is known of leaders is in doubt.
     */
    public void wantMetadata()
    {
        isMetadataWanted = true;
    }

    /**
     * Take the mark.
     */
    public boolean takeMetadataWanted()
    {
        final boolean isWanted = isMetadataWanted;
        isMetadataWanted = false;
        return isWanted;
    }

    /**
     * Mark: who is to be asked for which partition is to be settled anew.
     */
    public void changeAssignment()
    {
        isAssignmentChanged = true;
    }

    /**
     * Take the mark that partitions were assigned, unassigned or have another leader, or leaders another place.
     */
    public boolean takeAssignmentChanged()
    {
        final boolean isChanged = isAssignmentChanged;
        isAssignmentChanged = false;
        return isChanged;
    }

    /**
     * Whether one of the marks has been left and not been taken.
     */
    public boolean isMarked()
    {
        return isMetadataWanted || isAssignmentChanged;
    }

    /**
     * Whether some partition may be waiting for time to pass: for its place to be found, or for a backoff to end.
     */
    public boolean isUnsettled()
    {
        return isUnsettled;
    }

    /**
     * Look whether some partition is still waiting for time to pass.
     *
     * @param nowNs of the duty cycle.
     * @return {@link #isUnsettled()}.
     */
    public boolean settle(final long nowNs)
    {
        if (isUnsettled)
        {
            isUnsettled = false;
            for (int p = 0; p < capacity; p++)
            {
                final boolean isBackingOff = retryAtNs[p] != 0 && retryAtNs[p] - nowNs > 0;
                isUnsettled |= states[p] == AWAITING_OFFSET || states[p] == FETCHING && isBackingOff ||
                    states[p] != UNASSIGNED && leaderIds[p] == NULL_LEADER;
            }
        }
        return isUnsettled;
    }

    /**
     * A line on one partition.
     *
     * @param partition any with room.
     * @return a line of text.
     */
    public String describe(final int partition)
    {
        final String name = STATE_NAMES[states[partition]] + (paused[partition] ? " (paused)" : "");
        return "partition " + partition + " " + name +
            ": nextOffset=" + nextOffsets[partition] + " requestOffset=" + requestOffsets[partition] +
            " highWatermark=" + highWatermarks[partition] + " lastStableOffset=" + lastStableOffsets[partition] +
            " logStartOffset=" + logStartOffsets[partition] + " leader=" + leaderIds[partition] +
            " leaderEpoch=" + leaderEpochs[partition] + " generation=" + generations[partition] +
            " lastError=" + errorCodes[partition];
    }
}
