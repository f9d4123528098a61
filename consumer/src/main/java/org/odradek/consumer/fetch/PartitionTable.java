// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.core.Backoff;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Tracks the state of every partition of the topic. The two numbers that delivery needs for each record are in arrays
 * indexed by partition id; the rest is in one {@link PartitionState} per partition.
 * <p>
 * The {@code generation} of a partition is incremented when its data in flight is no longer needed, for example by a
 * seek. Data that was requested with an older generation is discarded.
 */
public final class PartitionTable implements PartitionLeaders
{
    public static final byte UNASSIGNED = 0;
    /** The offset to fetch from is being looked up at the leader. */
    public static final byte AWAITING_OFFSET = 1;
    /** The partition is fetched from its next offset, unless it is paused, held or backing off. */
    public static final byte FETCHING = 2;
    /**
     * The partition is not fetched after an error until it is sought or assigned again. If the handler has thrown, a
     * resume ends this state, too.
     */
    public static final byte STOPPED = 3;
    /**
     * The partition is not fetched until the new leader has confirmed that its log holds the record before the next
     * offset.
     */
    public static final byte AWAITING_VALIDATION = 4;
    /** The offset to fetch from is being requested from the coordinator of a group. */
    public static final byte AWAITING_COMMITTED_OFFSET = 5;

    public static final long NULL_OFFSET = PartitionState.NULL_OFFSET;
    private static final String[] STATE_NAMES = {
        "unassigned", "awaiting offset", "fetching", "stopped", "awaiting validation", "awaiting committed offset"};

    private int capacity;
    /** A reference to this array is stale after {@link #ensureCapacity}. */
    int[] generations = {};
    /**
     * The delivery loop advances these next offsets itself. A reference to this array is stale after {@link
     * #ensureCapacity}.
     */
    long[] nextOffsets = {};
    private PartitionState[] partitions = {};

    private Need metadataNeed = Need.NONE;
    private boolean isAssignmentChanged;
    private boolean isAnyWaiting = true;
    private int stoppedCount;
    boolean isDeliveryLimited;
    private long deliverUntilNs;
    private boolean hasReplicas;
    private long replicaExpiryNs;
    private final ConsumerSettings settings;
    private final ArrayDeque<LeaderEndpoint> endpoints = new ArrayDeque<>();

    public PartitionTable(final ConsumerSettings settings)
    {
        this.settings = settings;
    }

    /** Sets the time of the clock, in nanoseconds, after which no delivery begins. */
    public void deliverUntil(final long untilNs)
    {
        isDeliveryLimited = true;
        deliverUntilNs = untilNs;
    }

    /** Returns the time that {@link #deliverUntil} has set, or a time 146 years after {@code nowNs} if none was set. */
    public long deliverUntilNs(final long nowNs)
    {
        return isDeliveryLimited ? deliverUntilNs : nowNs + Long.MAX_VALUE / 2;
    }

    public boolean isFenced(final long readNs)
    {
        return isDeliveryLimited && readNs - deliverUntilNs > 0;
    }

    /** The address of a leader from a fetch response (KIP-951). */
    public record LeaderEndpoint(int nodeId, String host, int port)
    {
    }

    @Override
    public void ensureCapacity(final int count)
    {
        if (count <= capacity)
        {
            return;
        }
        generations = Arrays.copyOf(generations, count);
        nextOffsets = Arrays.copyOf(nextOffsets, count);
        partitions = Arrays.copyOf(partitions, count);
        for (int p = capacity; p < count; p++)
        {
            partitions[p] = new PartitionState(settings.retryBackoff(), settings.retryBackoff());
            clear(p);
        }
        capacity = count;
    }

    private void clear(final int partition)
    {
        nextOffsets[partition] = NULL_OFFSET;
        partitions[partition].clear();
    }

    /** @param startTimestamp the timestamp whose offset is looked up, in the form of a ListOffsets request. */
    public void assignAtTimestamp(final int partition, final long startTimestamp)
    {
        assign(partition, AWAITING_OFFSET, startTimestamp);
    }

    public void assignAtCommittedOffset(final int partition)
    {
        assign(partition, AWAITING_COMMITTED_OFFSET, 0);
    }

    /**
     * @param offsetEpoch the leader epoch of the record before {@code offset}, or {@link #NULL_EPOCH} if it is not
     *                    known.
     */
    public void assignAtOffset(final int partition, final long offset, final int offsetEpoch)
    {
        assign(partition, FETCHING, 0);
        seek(partition, offset, offsetEpoch);
        validate(partition);
        assert isConsistent(partition);
    }

    private void assign(final int partition, final byte state, final long startTimestamp)
    {
        clear(partition);
        beginEpoch(partition, NULL_OFFSET);
        partitions[partition].delivered(0, NULL_OFFSET);
        partitions[partition].beginLookup(startTimestamp);
        state(partition, state);
        invalidate(partition);
        partitions[partition].isCatchingUp = true;
        isAnyWaiting = true;
        isAssignmentChanged = true;
        // The last metadata may not have named a partition that was not assigned at that time.
        if (partitions[partition].leaderId == NULL_LEADER)
        {
            requestMetadata(Need.REFRESH);
        }
    }

    public void unassign(final int partition)
    {
        state(partition, UNASSIGNED);
        clear(partition);
        invalidate(partition);
        isAssignmentChanged = true;
        assert isConsistent(partition);
    }

    public void seek(final int partition, final long offset)
    {
        seek(partition, offset, NULL_EPOCH);
    }

    /**
     * @param offsetEpoch the leader epoch of the record before {@code offset}, or {@link #NULL_EPOCH} if it is not
     *                    known.
     */
    public void seek(final int partition, final long offset, final int offsetEpoch)
    {
        beginEpoch(partition, offset);
        nextOffsets[partition] = offset;
        partitions[partition].sought(offsetEpoch);
        partitions[partition].forgetHandlerFailures();
        fetchAtOnce(partition);
        partitions[partition].isCatchingUp = true;
        invalidate(partition);
        partitions[partition].soughtGeneration = generations[partition];
        assert isConsistent(partition);
    }

    /** @param offset the first offset of the ownership epoch, or {@link #NULL_OFFSET} while it is not known. */
    public void beginEpoch(final int partition, final long offset)
    {
        partitions[partition].beginEpoch(offset);
    }

    /**
     * The next offset keeps its value until the offset of the timestamp has been found.
     *
     * @param timestamp the timestamp in the form of a ListOffsets request.
     */
    public void lookUp(final int partition, final long timestamp)
    {
        state(partition, AWAITING_OFFSET);
        partitions[partition].beginLookup(timestamp);
        isAnyWaiting = true;
        invalidate(partition);
        assert isConsistent(partition);
    }

    /**
     * Starts another lookup for the same start. If no record has the requested timestamp or a later one, the end of the
     * log is looked up, and then the timestamp again, because a record that was written meanwhile may have it.
     *
     * @param endOffset the end offset of the log, at which the partition begins if no record is found again; -1 while
     *                  it is not known.
     */
    public void lookUpNext(final int partition, final long timestamp, final long endOffset, final int endEpoch)
    {
        partitions[partition].nextLookup(timestamp, endOffset, endEpoch);
    }

    /**
     * Makes the partition wait until its leader confirms that its log holds the record before the next offset, if the
     * leader is known and its epoch is newer than that of the record (KIP-320).
     */
    private void validate(final int partition)
    {
        final PartitionState state = partitions[partition];
        if (state.state == FETCHING && state.offsetEpoch != NULL_EPOCH && state.leaderEpoch > state.offsetEpoch)
        {
            state(partition, AWAITING_VALIDATION);
            isAnyWaiting = true;
        }
    }

    public void validated(final int partition)
    {
        fetchAtOnce(partition);
        setDirty(partition);
        assert isConsistent(partition);
    }

    private void state(final int partition, final byte newState)
    {
        final PartitionState state = partitions[partition];
        stoppedCount += (newState == STOPPED ? 1 : 0) - (state.state == STOPPED ? 1 : 0);
        state.enter(newState);
    }

    public int stoppedCount()
    {
        return stoppedCount;
    }

    /**
     * Enters the state FETCHING and ends the delay of the partition's backoff, but keeps the number of its failures.
     */
    private void fetchAtOnce(final int partition)
    {
        state(partition, FETCHING);
        partitions[partition].errorCode = ErrorCode.NONE;
        partitions[partition].backoff.endDelay();
    }

    public void pause(final int partition)
    {
        partitions[partition].isPaused = true;
        invalidate(partition);
        assert isConsistent(partition);
    }

    /** Ends a pause if there is one, otherwise a stop by the handler. */
    public void resume(final int partition)
    {
        final PartitionState state = partitions[partition];
        if (!state.isPaused && state.isStoppedByHandler())
        {
            // The backoff continues. The leader may have changed meanwhile.
            state(partition, FETCHING);
            state.errorCode = ErrorCode.NONE;
            validate(partition);
            isAnyWaiting = true;
        }
        state.isPaused = false;
        setDirty(partition);
        assert isConsistent(partition);
    }

    /** Holds an assigned partition: it is not fetched until it is released, and its data in flight is discarded. */
    public void hold(final int partition)
    {
        if (!partitions[partition].isHeld)
        {
            partitions[partition].isHeld = true;
            invalidate(partition);
        }
    }

    public void release(final int partition)
    {
        if (partitions[partition].isHeld)
        {
            partitions[partition].isHeld = false;
            setDirty(partition);
            isAssignmentChanged = true;
        }
    }

    /**
     * If the partition is resumed, it is fetched after a backoff, which grows while the handler fails at the same
     * offset.
     */
    void stopByHandler(final int partition, final long nowNs)
    {
        stop(partition, StopReason.HANDLER, ErrorCode.NONE);
        partitions[partition].handlerFailed(nextOffsets[partition], nowNs);
    }

    /** @param errorCode the error code that a broker has reported, or 0. */
    public void stop(final int partition, final StopReason reason, final short errorCode)
    {
        state(partition, STOPPED);
        partitions[partition].stop(reason, errorCode);
        invalidate(partition);
        assert isConsistent(partition);
    }

    /** Increments the generation: data in flight is discarded and requested again from the next offset. */
    public void invalidate(final int partition)
    {
        generations[partition]++;
        partitions[partition].requestOffset = nextOffsets[partition];
        setDirty(partition);
    }

    /**
     * A partition that is fetched waits for validation if the record before its next offset has an older epoch than the
     * new leader (KIP-320).
     */
    @Override
    public boolean leader(final int partition, final int leaderId, final int leaderEpoch)
    {
        final PartitionState state = partitions[partition];
        if (state.leaderId == leaderId && state.leaderEpoch == leaderEpoch)
        {
            return false;
        }
        if (state.nodeId() != leaderId)
        {
            leaveFetcher(partition);
        }
        final boolean isOtherEpoch = leaderEpoch != state.leaderEpoch;
        state.replicaId = NULL_LEADER;
        state.leaderId = leaderId;
        state.leaderEpoch = leaderEpoch;
        if (isOtherEpoch)
        {
            validate(partition);
        }
        isAnyWaiting = true;
        state.backoff.endDelay();
        invalidate(partition);
        assert isConsistent(partition);
        return true;
    }

    /**
     * @param untilNs the time of the duty cycle, in nanoseconds, at which the partition returns to the leader at the
     *                latest.
     */
    void useReplica(final int partition, final int nodeId, final long untilNs)
    {
        moveTo(partition, nodeId, untilNs);
        expireAt(untilNs);
    }

    private void expireAt(final long untilNs)
    {
        replicaExpiryNs = hasReplicas && replicaExpiryNs - untilNs < 0 ? replicaExpiryNs : untilNs;
        hasReplicas = true;
    }

    private void moveTo(final int partition, final int replicaId, final long untilNs)
    {
        partitions[partition].replicaId = replicaId;
        partitions[partition].replicaUntilNs = untilNs;
        leaveFetcher(partition);
        invalidate(partition);
    }

    private void leaveFetcher(final int partition)
    {
        dirtySet(partition, null);
        partitions[partition].connection(0);
        isAssignmentChanged = true;
    }

    /** Sets the connection of a partition without discarding its data in flight. */
    public void joinConnection(final int partition, final int number)
    {
        partitions[partition].connection(number);
    }

    /** Moves a partition to another connection to its broker, and discards its data in flight. */
    public void connection(final int partition, final int number)
    {
        leaveFetcher(partition);
        partitions[partition].connection(number);
        invalidate(partition);
    }

    public void leaveReplica(final int partition)
    {
        moveTo(partition, NULL_LEADER, 0);
    }

    public void expireReplicas(final long nowNs)
    {
        if (!hasReplicas || replicaExpiryNs - nowNs > 0)
        {
            return;
        }
        hasReplicas = false;
        for (int p = 0; p < capacity; p++)
        {
            final PartitionState state = partitions[p];
            if (state.replicaId != NULL_LEADER && state.replicaUntilNs - nowNs <= 0)
            {
                moveTo(p, NULL_LEADER, 0);
            }
            else if (state.replicaId != NULL_LEADER)
            {
                expireAt(state.replicaUntilNs);
            }
        }
    }

    /**
     * Leaves a partition out of requests until its backoff has expired, because a broker answers a request for a
     * partition in error at once.
     */
    boolean backOff(final int partition, final short errorCode, final long nowNs)
    {
        isAnyWaiting = true;
        setDirty(partition);
        return partitions[partition].backOff(errorCode, nowNs);
    }

    public void progress(
        final int partition, final long highWatermark, final long lastStableOffset, final long logStartOffset)
    {
        log(partition, highWatermark, lastStableOffset, logStartOffset);
        partitions[partition].clearError();
    }

    /** Stores the log offsets of a response to a request with the current generation. */
    void log(final int partition, final long highWatermark, final long lastStableOffset, final long logStartOffset)
    {
        partitions[partition].logGeneration = generations[partition];
        partitions[partition].log(highWatermark, lastStableOffset, logStartOffset);
    }

    /** @param epoch the leader epoch of the records before the next offset. */
    void delivered(final int partition, final long nextOffset, final int epoch)
    {
        partitions[partition].deliver(epoch, nextOffsets[partition]);
        nextOffsets[partition] = nextOffset;
        requestOffset(partition, Math.max(partitions[partition].requestOffset, nextOffset));
        assert isConsistent(partition);
    }

    /**
     * Sets the next offset back to that of a record or batch that the handler has refused, unless the handler has
     * sought or unassigned the partition.
     *
     * @param nextOffset the offset after the refused record or batch.
     * @param generation the generation with which the record or batch was delivered; after a change of the generation,
     *                   the record or batch is requested again.
     * @return true if the next offset was set back.
     */
    boolean refuse(final int partition, final long offset, final long nextOffset, final int generation)
    {
        if (partitions[partition].state != FETCHING || nextOffsets[partition] != nextOffset ||
            partitions[partition].soughtGeneration - generation > 0)
        {
            return false;
        }
        nextOffsets[partition] = offset;
        if (generations[partition] != generation)
        {
            requestOffset(partition, offset);
        }
        return true;
    }

    void requestOffset(final int partition, final long offset)
    {
        if (partitions[partition].requestOffset != offset)
        {
            partitions[partition].requestOffset = offset;
            setDirty(partition);
        }
    }

    /** Moves a partition to a fetcher's dirty set, and adds it to the old and the new dirty set. */
    void dirtySet(final int partition, final DirtyPartitions dirtySet)
    {
        setDirty(partition);
        partitions[partition].dirtySet = dirtySet;
        setDirty(partition);
    }

    void setDirty(final int partition)
    {
        final DirtyPartitions dirtySet = partitions[partition].dirtySet;
        if (dirtySet != null)
        {
            dirtySet.add(partition);
        }
    }

    public boolean isFetchable(final int partition, final long nowNs)
    {
        final PartitionState state = partitions[partition];
        return state.state == FETCHING && !state.isPaused && !state.isHeld && !state.isBackingOff(nowNs);
    }

    public boolean hasFetchOffset(final int partition)
    {
        return partitions[partition].state == FETCHING || partitions[partition].state == AWAITING_VALIDATION;
    }

    @Override
    public boolean isAssigned(final int partition)
    {
        return partition >= 0 && partition < capacity && partitions[partition].state != UNASSIGNED;
    }

    @Override
    public int capacity()
    {
        return capacity;
    }

    public byte state(final int partition)
    {
        return partitions[partition].state;
    }

    public boolean isPaused(final int partition)
    {
        return partitions[partition].isPaused;
    }

    @Override
    public int leaderId(final int partition)
    {
        return partitions[partition].leaderId;
    }

    @Override
    public int leaderEpoch(final int partition)
    {
        return partitions[partition].leaderEpoch;
    }

    public PartitionState partition(final int partition)
    {
        return partitions[partition];
    }

    public int generation(final int partition)
    {
        return generations[partition];
    }

    /** Returns the next offset to deliver, or {@link #NULL_OFFSET} while it is not known. */
    public long nextOffset(final int partition)
    {
        return nextOffsets[partition];
    }

    public int offsetEpoch(final int partition)
    {
        return partitions[partition].offsetEpoch;
    }

    /** Stores the leader epoch of records before the first of them is delivered, because the handler may commit it. */
    void beginRecords(final int partition, final int leaderEpoch)
    {
        partitions[partition].deliver(leaderEpoch, nextOffsets[partition]);
    }

    public void endRecords(final int partition, final int ownershipEpoch, final long endOffset)
    {
        partitions[partition].delivered(ownershipEpoch, endOffset);
    }

    /** Restores the leader epoch if none of the records was delivered, and the handler has not sought. */
    void endNoRecords(final int partition, final long fromOffset, final int fromEpoch)
    {
        if (nextOffsets[partition] == fromOffset && partitions[partition].offsetEpoch != fromEpoch)
        {
            partitions[partition].sought(fromEpoch);
        }
    }

    public void requestMetadata()
    {
        requestMetadata(Need.ERROR);
    }

    public void requestMetadata(final Need need)
    {
        metadataNeed = metadataNeed.and(need);
    }

    public void requestMetadata(final Backoff backoff, final long nowNs)
    {
        if (backoff.hasExpired(nowNs))
        {
            requestMetadata();
            backoff.failed(nowNs);
        }
    }

    @Override
    public Need takeMetadataNeed()
    {
        final Need need = metadataNeed;
        metadataNeed = Need.NONE;
        return need;
    }

    @Override
    public void changeAssignment()
    {
        isAssignmentChanged = true;
    }

    /** Returns true, once, if the partitions must be distributed over the fetchers again. */
    public boolean takeAssignmentChanged()
    {
        final boolean isChanged = isAssignmentChanged;
        isAssignmentChanged = false;
        return isChanged;
    }

    public boolean hasChanges()
    {
        return metadataNeed != Need.NONE || isAssignmentChanged;
    }

    void addEndpoint(final LeaderEndpoint endpoint)
    {
        endpoints.add(endpoint);
        isAssignmentChanged = true;
    }

    /** Removes and returns the address of a leader; null if there is none. */
    public LeaderEndpoint takeEndpoint()
    {
        return endpoints.poll();
    }

    /** Returns true if a partition with a leader may wait for an offset, for validation or for the end of a backoff. */
    public boolean isAnyWaiting()
    {
        return isAnyWaiting;
    }

    /** Checks all partitions, if one may be waiting, and returns the new value of {@link #isAnyWaiting()}. */
    public boolean checkWaiting(final long nowNs)
    {
        if (isAnyWaiting)
        {
            isAnyWaiting = false;
            for (int p = 0; p < capacity; p++)
            {
                final PartitionState state = partitions[p];
                isAnyWaiting |= state.leaderId != NULL_LEADER && (state.state == AWAITING_OFFSET ||
                    state.state == AWAITING_VALIDATION || state.state == FETCHING && state.isBackingOff(nowNs));
            }
        }
        return isAnyWaiting;
    }

    private boolean isConsistent(final int partition)
    {
        final PartitionState state = partitions[partition];
        final long nextOffset = nextOffsets[partition];
        // Only an assigned partition has an offset, is paused or is held.
        return (state.state != UNASSIGNED || nextOffset == NULL_OFFSET && !state.isPaused && !state.isHeld) &&
            (state.stopReason() != null) == (state.state == STOPPED) &&
            // A partition that is fetched, now or after a validation, has an offset, and delivered records are not
            // requested again.
            (!hasFetchOffset(partition) || nextOffset != NULL_OFFSET && state.requestOffset >= nextOffset) &&
            // A validation needs the epoch of the record before the offset.
            (state.state != AWAITING_VALIDATION || state.offsetEpoch != NULL_EPOCH);
    }

    public String describe(final int partition)
    {
        final PartitionState state = partition(partition);
        return "partition " + partition + " " + STATE_NAMES[state(partition)] +
            (state.stopReason() == null ? "" : " for " + state.stopReason()) + (state.isPaused ? " (paused)" : "") +
            ": nextOffset=" + nextOffset(partition) + " offsetEpoch=" + offsetEpoch(partition) +
            " requestOffset=" + state.requestOffset + " highWatermark=" + state.highWatermark() +
            " lastStableOffset=" + state.lastStableOffset() + " logStartOffset=" + state.logStartOffset +
            " leader=" + state.leaderId + " leaderEpoch=" + state.leaderEpoch + " readFrom=" + state.nodeId() +
            " generation=" + generation(partition) + " lastError=" + state.errorCode;
    }
}
