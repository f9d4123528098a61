// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelRecord;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the consumer must do with one partition next, by what the user has asked for and what the log holds. */
final class Expected
{
    /** The timestamps that stand for the ends of a log, as ListOffsets takes them. */
    static final long EARLIEST = -2;
    static final long LATEST = -1;
    /** The start is an offset that was given. */
    static final long GIVEN = -3;
    /** The start is the offset that is committed under the user's group. */
    static final long COMMITTED = -4;

    private static final int UNKNOWN = Integer.MIN_VALUE;

    final int partition;
    final List<ModelLog> formerLogs = new ArrayList<>();
    ModelLog log;
    boolean isAssigned;
    boolean isPaused;
    boolean isStopped;
    /** The handler has thrown at the next offset, at which the partition has to stop. */
    boolean isFailed;
    /** The end of the log has not been reached since the last assignment, seek or reset. */
    boolean isCatchingUp;
    /** The next offset, or -1 while the consumer looks it up. */
    long next = -1;
    /** When the next offset moved last. */
    long advancedNs;
    /** Epoch of the last record that was delivered since the last change of position, or -1. */
    int epoch = -1;
    /** What the consumer looks up while the next offset is unknown. */
    long start = GIVEN;
    /** The smallest answer to expect: what was right when the lookup began. */
    long startLow;
    /** What was committed when the lookup of a committed offset began, or -1. */
    long committed = -1;
    /** The start and the end of the log when the consumer was last known to be in it. */
    long lowStart;
    long lowEnd;
    /** The consumer has begun at an offset after the end of the log. */
    boolean isBeyondEnd;
    /** The end of the log after an election that lost records, if the consumer was not notified yet. */
    long cut = Long.MAX_VALUE;
    /** The epoch of the leader that was elected then. */
    private int cutEpoch;
    /** The consumer has passed offsets that were lost then. */
    boolean isLost;
    /** Offsets before the next one were lost, and the position has not changed since. */
    private boolean isAfterCut;
    /** The end of the log when the last faults ended. */
    long target;
    /** Records may have been replaced by others in this round. */
    boolean isRewritten;
    /** When {@link #cut} was set, on the clock of the simulation. */
    long cutNs;
    /** Epoch of the leader that the consumer has reported last, or -1. */
    int leaderEpoch = -1;
    /** The topic was deleted and created in this round. */
    boolean isRecreated;
    /** A batch of the partition was corrupted on its way in this round. */
    boolean isCorrupted;
    private final ModelRecord found = new ModelRecord();
    private long end;
    private int[] leaders = {};

    Expected(final int partition)
    {
        this.partition = partition;
    }

    /** Notes what has changed in the cluster since the last call. */
    void sample(final ModelPartition now, final long nowNs)
    {
        if (log != now.log())
        {
            if (log != null)
            {
                formerLogs.add(log);
            }
            log = now.log();
        }
        else if (log.endOffset() < end)
        {
            truncated(now.leaderEpoch());
            cutNs = nowNs;
            isRewritten = true;
            lowEnd = Math.min(lowEnd, log.endOffset());
            startLow = Math.min(startLow, log.startOffset());
            lowStart = Math.min(lowStart, log.startOffset());
        }
        end = log.endOffset();
        final int known = leaders.length;
        if (now.leaderEpoch() >= known)
        {
            leaders = Arrays.copyOf(leaders, now.leaderEpoch() + 8);
            Arrays.fill(leaders, known, leaders.length, UNKNOWN);
        }
        leaders[now.leaderEpoch()] = now.leader();
    }

    private void truncated(final int newEpoch)
    {
        final long newEnd = log.endOffset();
        cutEpoch = isLost ? cutEpoch : newEpoch;
        cut = isLost ? Math.min(cut, newEnd) : newEnd;
        isLost |= next > newEnd;
        isAfterCut |= next > newEnd;
    }

    /**
     * A record is delivered. What was received before the election is delivered after it.
     *
     * @return whether the leader that was elected has sent it, or a later one.
     */
    boolean isAfterElection(final int recordEpoch, final long offset)
    {
        final boolean isAfter = recordEpoch >= cutEpoch;
        isLost |= !isAfter && offset >= cut;
        return isAfter;
    }

    /** The consumer was notified of the election that lost records, or has read none of them. */
    void forgetCut()
    {
        cut = Long.MAX_VALUE;
        isLost = false;
    }

    /** Records were appended, which an election may remove before the next sample. */
    void appended(final long lastOffset)
    {
        end = Math.max(end, lastOffset + 1);
    }

    /** The topic was created again. */
    void recreated()
    {
        isRewritten = true;
        isRecreated = true;
        Arrays.fill(leaders, UNKNOWN);
    }

    /** Returns false if the partition has had another leader in an epoch. */
    boolean isLeader(final int leader, final int leaderEpoch)
    {
        // A broker reports no leader while the leader does not run.
        return isRecreated || leader < 0 || leaderEpoch < 0 || leaderEpoch >= leaders.length ||
            leaders[leaderEpoch] == UNKNOWN || leaders[leaderEpoch] == leader;
    }

    /** The consumer continues at an offset. */
    void moveTo(final long offset, final long nowNs)
    {
        next = offset;
        advancedNs = nowNs;
        epoch = -1;
        forgetCut();
        isAfterCut = false;
        isCatchingUp = true;
        isStopped = false;
        isFailed = false;
        isBeyondEnd = log == null || offset > log.endOffset();
        noteLog();
    }

    /** The consumer no longer has the partition. */
    void leave()
    {
        isAssigned = false;
        isPaused = false;
        isStopped = false;
        isFailed = false;
    }

    /** The consumer looks up where to begin. */
    void lookUp(final long timestamp, final boolean isReadCommitted, final long nowNs)
    {
        moveTo(-1, nowNs);
        start = timestamp;
        startLow = log == null || timestamp < EARLIEST ? 0 : answer(isReadCommitted);
    }

    /** Returns what a leader answers now. */
    private long answer(final boolean isReadCommitted)
    {
        if (start == EARLIEST)
        {
            return log.startOffset();
        }
        final long logEnd = end(isReadCommitted);
        return start >= 0 && log.firstSince(start, found) ? Math.min(found.offset(), logEnd) : logEnd;
    }

    /** Returns the end of the log for a consumer. */
    long end(final boolean isReadCommitted)
    {
        return isReadCommitted ? log.lastStableOffset() : log.highWatermark();
    }

    /** Returns the largest offset that can be the answer to the lookup. */
    long startHigh()
    {
        return start == EARLIEST ? log.startOffset() : log.endOffset();
    }

    void advance(final long offset, final long nowNs)
    {
        next = offset;
        advancedNs = nowNs;
        isBeyondEnd = log != null && offset > log.endOffset();
        noteLog();
    }

    /** The consumer has begun at an offset, perhaps long ago: its poll may have gone on with a slow handler. */
    void begin(final long offset, final long nowNs)
    {
        final long earlierStart = lowStart;
        final long earlierEnd = lowEnd;
        advance(offset, nowNs);
        lowStart = Math.min(lowStart, earlierStart);
        lowEnd = Math.min(lowEnd, earlierEnd);
    }

    private void noteLog()
    {
        if (log != null)
        {
            lowStart = log.startOffset();
            lowEnd = Math.min(log.highWatermark(), log.lastStableOffset());
        }
    }

    /** Returns whether the consumer reads the partition. */
    boolean isRead()
    {
        return isAssigned && !isPaused && !isStopped;
    }

    /**
     * A new round begins, and the consumer has read the log to its end. A paused partition, or one of old brokers, may
     * not have noticed that offsets before its own were lost.
     */
    void forgetRound()
    {
        formerLogs.clear();
        isRewritten = isAfterCut;
        isRecreated = false;
        isCorrupted = false;
        forgetCut();
    }
}
