// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.Backoff;
import org.odradek.consumer.handler.StopReason;

/**
 * The part of a partition's state that delivery does not access for each record.
 * <p>
 * The ownership epoch and the end of the delivered records keep their values after an unassignment, because the
 * application may still work on these records.
 */
public final class PartitionState
{
    static final long NULL_OFFSET = -1;
    static final int NULL_NODE = -1;
    static final int NULL_EPOCH = -1;
    /**
     * The largest ownership epoch, after which epochs begin at 1 again: an acknowledgement has 16 bits for an epoch.
     */
    private static final int MAX_OWNERSHIP_EPOCH = 0xFFFF;
    private static final int LAGGING_RESPONSES = 2;

    byte state;
    /** The next offset to request: after the next offset to deliver if records have been received but not delivered. */
    long requestOffset;
    /** The leader epoch of the last record before the next offset, or -1 while it is not known. */
    int offsetEpoch;
    /** The first offset that was delivered of this epoch, or -1 if none was. */
    private long epochOffset = NULL_OFFSET;
    /** The dirty set of the partition's fetcher, or null if no fetcher has the partition. */
    DirtyPartitions dirtySet;
    boolean isPaused;
    /** True if the partition is not fetched until its start has been reported to the listener. */
    boolean isHeld;
    int leaderId = NULL_NODE;
    int leaderEpoch = NULL_EPOCH;
    /** The replica to read from instead of the leader (KIP-392), or -1. */
    int replicaId = NULL_NODE;
    long replicaUntilNs;
    private int connection;
    private int responsesBehind;
    /** The generation that began with the last seek. */
    int soughtGeneration;
    short errorCode;
    private Lookup lookup = new Lookup(0, 0, 0, NULL_OFFSET, NULL_EPOCH);
    /** The generation of the partition when a response to a request of that generation had offsets of the log last. */
    int logGeneration;
    private long highWatermark = NULL_OFFSET;
    private long lastStableOffset = NULL_OFFSET;
    long logStartOffset = NULL_OFFSET;
    /** True if the listener is notified when the partition next reaches the end of the log. */
    boolean isCatchingUp;
    private int ownershipEpoch;
    private long firstOffset = NULL_OFFSET;
    private int deliveredEpoch;
    private long deliveredEnd = NULL_OFFSET;
    final Backoff backoff;
    /** The reason for which the partition has stopped, or null if it has not. */
    private StopReason stopReason;
    private long failedOffset = NULL_OFFSET;
    private final Backoff handlerBackoff;

    /**
     * The lookup of an offset at which a partition begins or continues.
     *
     * @param id             the id, which changes with each lookup: an answer to a lookup with another id is stale.
     * @param startTimestamp the timestamp at which the partition should begin, in the form of a ListOffsets request.
     * @param timestamp      the timestamp whose offset is looked up.
     * @param endOffset      the end offset of the log, which is looked up if no record with that timestamp was found,
     *                       or -1 before it is known.
     * @param endEpoch       the leader epoch at the end offset.
     */
    public record Lookup(int id, long startTimestamp, long timestamp, long endOffset, int endEpoch)
    {
    }

    PartitionState(final Backoff backoff, final Backoff handlerBackoff)
    {
        this.backoff = backoff;
        this.handlerBackoff = handlerBackoff;
    }

    void clear()
    {
        requestOffset = NULL_OFFSET;
        sought(NULL_EPOCH);
        isPaused = false;
        isHeld = false;
        connection = 0;
        responsesBehind = 0;
        log(NULL_OFFSET, NULL_OFFSET, NULL_OFFSET);
        clearError();
        forgetHandlerFailures();
    }

    void sought(final int newOffsetEpoch)
    {
        offsetEpoch = newOffsetEpoch;
        epochOffset = NULL_OFFSET;
    }

    /** Notes the epoch of records that are delivered from this offset on. */
    void deliver(final int recordEpoch, final long fromOffset)
    {
        if (recordEpoch != offsetEpoch || epochOffset == NULL_OFFSET)
        {
            offsetEpoch = recordEpoch;
            epochOffset = fromOffset;
        }
    }

    /** Returns the first offset that was delivered of the epoch of the next offset, or {@link #NULL_OFFSET}. */
    public long epochOffset()
    {
        return epochOffset;
    }

    void enter(final byte newState)
    {
        state = newState;
        stopReason = null;
    }

    void stop(final StopReason reason, final short newErrorCode)
    {
        stopReason = reason;
        errorCode = newErrorCode;
    }

    StopReason stopReason()
    {
        return stopReason;
    }

    public int connection()
    {
        return connection;
    }

    void connection(final int number)
    {
        connection = number;
    }

    void onResponse(final boolean isMoreInLog)
    {
        responsesBehind = isMoreInLog ? Math.min(responsesBehind + 1, LAGGING_RESPONSES) : 0;
    }

    /** Returns true if the last two responses have not reached the end of the partition's log. */
    boolean isLagging()
    {
        return responsesBehind == LAGGING_RESPONSES;
    }

    /** @param offset the first offset of the ownership epoch; {@link #NULL_OFFSET} while it is not known. */
    void beginEpoch(final long offset)
    {
        ownershipEpoch = ownershipEpoch % MAX_OWNERSHIP_EPOCH + 1;
        firstOffset = offset;
    }

    void delivered(final int epoch, final long endOffset)
    {
        deliveredEpoch = epoch;
        deliveredEnd = endOffset;
    }

    /**
     * Returns the epoch that began with the last assignment, seek or reset, from 1 to 65,535; 0 before the first
     * assignment.
     */
    public int ownershipEpoch()
    {
        return ownershipEpoch;
    }

    /** Returns the offset at which the ownership epoch has begun, or -1 while it is not known. */
    public long firstOffset()
    {
        return firstOffset;
    }

    /** Returns the ownership epoch of the last record that was delivered since the assignment; 0 if none was. */
    public int deliveredEpoch()
    {
        return deliveredEpoch;
    }

    /** Returns the offset after the last record or batch that was delivered since the assignment, or -1 if none was. */
    public long deliveredEnd()
    {
        return deliveredEnd;
    }

    /** Stores the log offsets of a response; each is -1 if the response does not have it. */
    void log(final long newHighWatermark, final long newLastStableOffset, final long newLogStartOffset)
    {
        highWatermark = newHighWatermark;
        lastStableOffset = newLastStableOffset;
        logStartOffset = newLogStartOffset;
    }

    boolean takeCaughtUp(final long nextOffset, final boolean isReadCommitted)
    {
        if (!isCatchingUp)
        {
            return false;
        }
        isCatchingUp = end(isReadCommitted) < 0 || nextOffset < end(isReadCommitted);
        return !isCatchingUp;
    }

    /** Returns the offset after the last record that can be delivered, or -1 while it is not known. */
    public long end(final boolean isReadCommitted)
    {
        return isReadCommitted ? lastStableOffset : highWatermark;
    }

    /** Returns -1 while the high watermark is not known. */
    public long highWatermark()
    {
        return highWatermark;
    }

    /** Returns -1 while the last stable offset is not known. */
    public long lastStableOffset()
    {
        return lastStableOffset;
    }

    boolean backOff(final short newErrorCode, final long nowNs)
    {
        final boolean isNew = errorCode != newErrorCode;
        errorCode = newErrorCode;
        backoff.failed(nowNs);
        return isNew;
    }

    boolean isWithoutFailure()
    {
        return backoff.failures() == 0;
    }

    boolean isBackingOff(final long nowNs)
    {
        return !backoff.hasExpired(nowNs) || !handlerBackoff.hasExpired(nowNs);
    }

    void handlerFailed(final long offset, final long nowNs)
    {
        if (offset != failedOffset)
        {
            forgetHandlerFailures();
        }
        failedOffset = offset;
        handlerBackoff.failed(nowNs);
    }

    void forgetHandlerFailures()
    {
        failedOffset = NULL_OFFSET;
        handlerBackoff.succeeded();
    }

    boolean isStoppedByHandler()
    {
        return stopReason == StopReason.HANDLER;
    }

    /** Returns true if the next offset refers to the topic that was deleted before this one was created. */
    public boolean isOfDeletedTopic()
    {
        return stopReason == StopReason.TOPIC_RECREATED;
    }

    void clearError()
    {
        errorCode = 0;
        backoff.succeeded();
    }

    void beginLookup(final long timestamp)
    {
        lookup = new Lookup(lookup.id + 1, timestamp, timestamp, NULL_OFFSET, NULL_EPOCH);
    }

    void nextLookup(final long timestamp, final long endOffset, final int endEpoch)
    {
        lookup = new Lookup(lookup.id + 1, lookup.startTimestamp, timestamp, endOffset, endEpoch);
    }

    public Lookup lookup()
    {
        return lookup;
    }

    /** Returns the node id of the replica to read from if one is set, or else of the leader; -1 if there is none. */
    public int nodeId()
    {
        return replicaId == NULL_NODE ? leaderId : replicaId;
    }
}
