// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.Backoff;

/**
 * The state of one partition that is not touched per record: whether and from where it is fetched, its leader and read
 * replica, the offsets of its log, its last error and backoff, its offset lookup, and the epoch under which it is read.
 * The table of partitions owns it and makes all changes, except that a response stores what it says of the log.
 * <p>
 * The epoch and what was delivered are still those of the last assignment after the partition was unassigned, because
 * the work on what was delivered may go on.
 */
public final class PartitionState
{
    static final long NULL_OFFSET = -1;
    static final int NULL_NODE = -1;
    static final int NULL_EPOCH = -1;
    /** Epochs of ownerships are from 1 to this, and then begin again: an acknowledgement has 16 bits for one. */
    private static final int MAX_OWNERSHIP_EPOCH = 0xFFFF;
    private static final int LAGGING_RESPONSES = 4;

    /** One of the constants of {@link PartitionTable}. */
    byte state;
    /** The next offset to request. It is ahead of the next offset by what has been received but not delivered. */
    long requestOffset;
    /** Leader epoch of the last record before the next offset, or -1 while it is not known. */
    int offsetEpoch;
    /** Of the fetcher that the partition belongs to; null for none. */
    DirtyPartitions dirtySet;
    boolean isPaused;
    /** Not fetched until the layer above has reported that it begins. */
    boolean isHeld;
    int leaderId = NULL_NODE;
    int leaderEpoch = NULL_EPOCH;
    /** Replica to read from instead of the leader (KIP-392), or -1. */
    int replicaId = NULL_NODE;
    long replicaUntilNs;
    /** The number of the connection to its broker that it is fetched over, from 0. */
    private int connection;
    /** Responses in a row after which its log held more records. */
    private int responsesBehind;
    /** The generation that the last seek has begun. */
    int soughtGeneration;
    /** The error of a broker that the partition waits for or was stopped by; 0 for none. */
    short errorCode;
    private Lookup lookup = new Lookup(0, 0, 0, NULL_OFFSET, NULL_EPOCH);
    private long highWatermark = NULL_OFFSET;
    private long lastStableOffset = NULL_OFFSET;
    /** First offset of the log, or -1. */
    long logStartOffset = NULL_OFFSET;
    /** The next time that the end of the log is reached is reported. */
    boolean isCatchingUp;
    private int ownershipEpoch;
    private long firstOffset = NULL_OFFSET;
    /** Of the last record that was delivered since the assignment; 0 for none. */
    private int deliveredEpoch;
    private long deliveredEnd = NULL_OFFSET;
    final Backoff backoff;
    /** Stopped, because the handler has thrown. */
    private boolean isStoppedByHandler;
    /** At which the handler failed last, or -1. */
    private long failedOffset = NULL_OFFSET;
    private final Backoff handlerBackoff;

    /**
     * The lookup of the offset at which a partition begins.
     *
     * @param id             changes with each lookup: an answer to a lookup with another id is stale.
     * @param startTimestamp at which the partition is to begin, as ListOffsets takes it.
     * @param timestamp      whose offset is looked up.
     * @param endOffset      of the log after no record of that timestamp was found, or -1 before it is known.
     * @param endEpoch       of the leader that knows that end.
     */
    public record Lookup(int id, long startTimestamp, long timestamp, long endOffset, int endEpoch)
    {
    }

    /**
     * @param backoff        of the partition's retries.
     * @param handlerBackoff of its delivery after the handler has failed.
     */
    PartitionState(final Backoff backoff, final Backoff handlerBackoff)
    {
        this.backoff = backoff;
        this.handlerBackoff = handlerBackoff;
    }

    void clear()
    {
        requestOffset = NULL_OFFSET;
        offsetEpoch = NULL_EPOCH;
        isPaused = false;
        isHeld = false;
        connection = 0;
        responsesBehind = 0;
        log(NULL_OFFSET, NULL_OFFSET, NULL_OFFSET);
        clearError();
        forgetHandlerFailures();
    }

    void enter(final byte newState)
    {
        state = newState;
        isStoppedByHandler = false;
    }

    /** The number of the connection to its broker that it is fetched over, from 0. */
    public int connection()
    {
        return connection;
    }

    void connection(final int number)
    {
        connection = number;
    }

    /** Takes note of a response, after which its log may hold more records. */
    void onResponse(final boolean isMoreInLog)
    {
        responsesBehind = isMoreInLog ? Math.min(responsesBehind + 1, LAGGING_RESPONSES) : 0;
    }

    /** Returns true if several responses in a row have not reached the end of its log. */
    boolean isLagging()
    {
        return responsesBehind == LAGGING_RESPONSES;
    }

    /** Begins an epoch of the ownership at an offset, which is {@link #NULL_OFFSET} while it is not known. */
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

    /** The epoch that the last assignment or seek has begun, from 1 to 65,535. */
    public int ownershipEpoch()
    {
        return ownershipEpoch;
    }

    /** The offset at which that epoch has begun. */
    public long firstOffset()
    {
        return firstOffset;
    }

    /** The epoch of the last record that was delivered since the assignment; 0 if none was. */
    public int deliveredEpoch()
    {
        return deliveredEpoch;
    }

    /** The offset after that record, and not after what follows it without a record for the handler. */
    public long deliveredEnd()
    {
        return deliveredEnd;
    }

    /** Stores the log offsets of a response, each -1 if it does not have it. */
    void log(final long newHighWatermark, final long newLastStableOffset, final long newLogStartOffset)
    {
        highWatermark = newHighWatermark;
        lastStableOffset = newLastStableOffset;
        logStartOffset = newLogStartOffset;
    }

    /** Returns true once after {@link #isCatchingUp} was set: when the known end of the log has been reached. */
    boolean takeCaughtUp(final long nextOffset, final boolean isReadCommitted)
    {
        if (!isCatchingUp)
        {
            return false;
        }
        isCatchingUp = end(isReadCommitted) < 0 || nextOffset < end(isReadCommitted);
        return !isCatchingUp;
    }

    /** Offset after the last record that can be delivered, or -1. */
    public long end(final boolean isReadCommitted)
    {
        return isReadCommitted ? lastStableOffset : highWatermark;
    }

    /** Offset after the last record that all in-sync replicas have, or -1. */
    public long highWatermark()
    {
        return highWatermark;
    }

    /** Offset before which every transaction has been decided, or -1. */
    public long lastStableOffset()
    {
        return lastStableOffset;
    }

    /** Returns true if the error differs from the last one. */
    boolean backOff(final short newErrorCode, final long nowNs)
    {
        final boolean isNew = errorCode != newErrorCode;
        errorCode = newErrorCode;
        backoff.failed(nowNs);
        return isNew;
    }

    /** Returns true if a broker has answered well since the last error. */
    boolean isWithoutFailure()
    {
        return backoff.failures() == 0;
    }

    boolean isBackingOff(final long nowNs)
    {
        return !backoff.hasExpired(nowNs) || !handlerBackoff.hasExpired(nowNs);
    }

    /** The handler has failed, and the partition has stopped at an offset. */
    void handlerFailed(final long offset, final long nowNs)
    {
        if (offset != failedOffset)
        {
            forgetHandlerFailures();
        }
        isStoppedByHandler = true;
        failedOffset = offset;
        handlerBackoff.failed(nowNs);
    }

    void forgetHandlerFailures()
    {
        failedOffset = NULL_OFFSET;
        handlerBackoff.succeeded();
    }

    /** Returns true if the partition was stopped because the handler has thrown. */
    boolean isStoppedByHandler()
    {
        return isStoppedByHandler;
    }

    /** A broker has answered without an error, or the partition was assigned again. */
    void clearError()
    {
        errorCode = 0;
        backoff.succeeded();
    }

    /** Begins a lookup, which makes an answer to the one before stale. */
    void beginLookup(final long timestamp)
    {
        lookup = new Lookup(lookup.id + 1, timestamp, timestamp, NULL_OFFSET, NULL_EPOCH);
    }

    /** Begins another lookup on the way to the same timestamp; {@link PartitionTable#lookUpNext} says why. */
    void nextLookup(final long timestamp, final long endOffset, final int endEpoch)
    {
        lookup = new Lookup(lookup.id + 1, lookup.startTimestamp, timestamp, endOffset, endEpoch);
    }

    public Lookup lookup()
    {
        return lookup;
    }

    /** The broker to read from: the replica if one is set, else the leader; or -1. */
    public int nodeId()
    {
        return replicaId == NULL_NODE ? leaderId : replicaId;
    }
}
