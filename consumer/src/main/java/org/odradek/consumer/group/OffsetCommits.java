// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.DirectBuffer;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.cluster.UnknownPartitionTimeout;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.PerPartition;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.RequestFrame;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.OffsetCommitRequestEncoder;
import org.odradek.protocol.control.OffsetCommitResponseFlyweight;

/**
 * The offsets to commit under a group id and the request that commits them. It holds, of each partition, the offset
 * that waits, the one in flight, and the one that the coordinator has confirmed. An offset that waits is replaced by a
 * newer one. Nothing is allocated once all partitions have been committed.
 * <p>
 * An offset of a partition that the brokers do not know is retried for a while ({@link UnknownPartitionTimeout}).
 * <p>
 * As a member of the group, it sends the member's epoch. When the coordinator refuses that, the offsets wait until a
 * heartbeat has shown whether the member still owns the partitions.
 */
public final class OffsetCommits extends GroupRequest
{
    private static final long NULL_OFFSET = -1;

    private final TopicIdentity topic;
    private final Environment environment;
    private final DutyClock clock;
    private final OffsetCommitRequestEncoder request;
    private final OffsetCommitResponseFlyweight response = new OffsetCommitResponseFlyweight();
    /** Null without one. */
    private GroupMember member;
    /** That the encoder has. */
    private String memberId;
    private int waitingCount;
    private int sentCount;
    private int gonePartition = -1;
    /** Of the topic whose offsets these are. */
    private int seenRecreations;
    private final PerPartition<Commit> commits = new PerPartition<>(Commit::new);

    /** What is known of one partition. */
    private static final class Commit
    {
        private long waiting = NULL_OFFSET;
        private int waitingEpoch;
        private long sent = NULL_OFFSET;
        private int sentEpoch;
        private long committed = NULL_OFFSET;
        private long unknownSinceNs = UnknownPartitionTimeout.NEVER;
        private short errorCode;
        private boolean isDiscarded;

        private boolean isWaiting()
        {
            return waiting != NULL_OFFSET;
        }

        private boolean isSent()
        {
            return sent != NULL_OFFSET;
        }
    }

    OffsetCommits(final String groupId, final TopicIdentity topic, final Environment environment)
    {
        super(ApiKey.OFFSET_COMMIT, environment.settings().retryBackoff());
        this.topic = topic;
        this.environment = environment;
        clock = environment.clock();
        seenRecreations = topic.recreations();
        request = new OffsetCommitRequestEncoder(environment.settings().clientId, groupId, topic.name());
    }

    /** Commits as a member of the group from now on. */
    void member(final GroupMember newMember)
    {
        member = newMember;
    }

    private void encodeMember()
    {
        if (!member.memberId().equals(memberId))
        {
            memberId = member.memberId();
            request.member(memberId, environment.settings().group.instanceId);
        }
        request.memberEpoch(member.epoch());
    }

    /**
     * Commits an offset; it replaces one that still waits for the same partition.
     *
     * @param partition   0 or more.
     * @param nextOffset  of the next record to be read.
     * @param leaderEpoch of the last record read, or -1.
     */
    public void commit(final int partition, final long nextOffset, final int leaderEpoch)
    {
        commits.ensureSize(partition + 1);
        final Commit commit = commits.get(partition);
        commit.errorCode = ErrorCode.NONE;
        putWaiting(commit, nextOffset, leaderEpoch);
    }

    private void putWaiting(final Commit commit, final long nextOffset, final int leaderEpoch)
    {
        waitingCount += commit.isWaiting() ? 0 : 1;
        commit.waiting = nextOffset;
        commit.waitingEpoch = leaderEpoch;
    }

    private void dropWaiting(final Commit commit)
    {
        waitingCount -= commit.isWaiting() ? 1 : 0;
        commit.waiting = NULL_OFFSET;
    }

    private void dropSent(final Commit commit)
    {
        sentCount -= commit.isSent() ? 1 : 0;
        commit.sent = NULL_OFFSET;
    }

    /** Gives up the offsets of a topic that was deleted and created again: they mean other records now. */
    void checkTopic()
    {
        if (topic.recreations() != seenRecreations)
        {
            seenRecreations = topic.recreations();
            for (int p = 0; p < commits.size(); p++)
            {
                final boolean isRefused = isOutstanding(p);
                discard(p);
                commits.get(p).errorCode = isRefused ? ErrorCode.INCONSISTENT_TOPIC_ID : ErrorCode.NONE;
            }
        }
    }

    /** Whether offsets wait that may be sent: while a member joins, it owns nothing. */
    @Override
    boolean isDue()
    {
        return waitingCount > 0 && (member == null || member.epoch() > 0) && !isHeld();
    }

    /**
     * Whether offsets wait until metadata shows if the topic still exists: it may have been deleted and created again,
     * and brokers that know a topic by its name alone would take the old offsets for the new topic.
     */
    boolean isHeld()
    {
        return waitingCount > 0 && topic.isInDoubt() &&
            !UnknownPartitionTimeout.isGone(topic.inDoubtSinceNs(), clock.nowNs());
    }

    /** Whether every commit has been answered. */
    public boolean isIdle()
    {
        return waitingCount == 0 && sentCount == 0;
    }

    /** Whether an offset of a partition waits or is in flight. */
    public boolean isOutstanding(final int partition)
    {
        return partition < commits.size() && (commits.get(partition).isWaiting() || commits.get(partition).isSent());
    }

    /** The offset of a partition that waits, or else is in flight, or else was confirmed last; -1 for none. */
    public long newestOffset(final int partition)
    {
        if (!isOutstanding(partition))
        {
            return committedOffset(partition);
        }
        return commits.get(partition).isWaiting() ? commits.get(partition).waiting : commits.get(partition).sent;
    }

    /**
     * Gives a commit up: what waits is not sent, and the answer to what is in flight is ignored.
     *
     * @param partition that has been committed or discarded.
     */
    public void giveUp(final int partition)
    {
        commits.get(partition).isDiscarded |= isOutstanding(partition);
        dropWaiting(commits.get(partition));
        dropSent(commits.get(partition));
    }

    /** Forgets a partition. */
    public void discard(final int partition)
    {
        commits.ensureSize(partition + 1);
        giveUp(partition);
        final Commit commit = commits.get(partition);
        commit.committed = NULL_OFFSET;
        commit.unknownSinceNs = UnknownPartitionTimeout.NEVER;
        commit.errorCode = ErrorCode.NONE;
    }

    /** Forgets that commits were given up. */
    public void forgetDiscarded()
    {
        for (int p = 0; p < commits.size(); p++)
        {
            commits.get(p).isDiscarded = false;
        }
    }

    /** Returns whether a commit of a partition was given up since the last {@link #forgetDiscarded()}. */
    public boolean isDiscarded(final int partition)
    {
        return commits.has(partition) && commits.get(partition).isDiscarded;
    }

    /** The offset that the coordinator has confirmed last, or -1. */
    public long committedOffset(final int partition)
    {
        return commits.has(partition) ? commits.get(partition).committed : NULL_OFFSET;
    }

    /** The error with which the last commit of a partition was refused; otherwise 0. */
    public short errorCode(final int partition)
    {
        return commits.has(partition) ? commits.get(partition).errorCode : ErrorCode.NONE;
    }

    /** The sentence about a partition whose offset was given up because of the last response; null for none. */
    String takeGone()
    {
        final String sentence = gonePartition < 0 ? null : GroupErrors.gone(gonePartition, errorCode);
        gonePartition = -1;
        return sentence;
    }

    @Override
    public int version(final int highestVersion)
    {
        return topic.version(highestVersion, OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        if (member != null)
        {
            encodeMember();
        }
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .begin(frame.ofLength(request.maxFrameLength(waitingCount)), version, waitingCount);
        for (int p = 0; p < commits.size(); p++)
        {
            final Commit commit = commits.get(p);
            if (commit.isWaiting())
            {
                request.entry(p, commit.waiting, commit.waitingEpoch);
                sentCount += commit.isSent() ? 0 : 1;
                commit.sent = commit.waiting;
                commit.sentEpoch = commit.waitingEpoch;
                commit.waiting = NULL_OFFSET;
            }
        }
        waitingCount = 0;
        assert isConsistent();
        return request.end();
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        response.wrap(buffer, index, limit, version);
        while (response.nextPartition())
        {
            continue;
        }
        throttleTimeMs = response.throttleTimeMs();
        errorCode = ErrorCode.NONE;
        leftOutPartition = -1;
        gonePartition = -1;
        int known = 0;
        response.wrap(buffer, index, limit, version);
        while (response.nextPartition())
        {
            final int partition = response.partition();
            known += ErrorCode.isUnknownPartition(response.partitionErrorCode()) ? 0 : 1;
            if (topic.isAnswered(response.topic()) && commits.has(partition) && commits.get(partition).isSent())
            {
                onPartition(partition, commits.get(partition), response.partitionErrorCode());
            }
        }
        for (int p = 0; p < commits.size() && sentCount > 0 && leftOutPartition < 0; p++)
        {
            leftOutPartition = commits.get(p).isSent() ? p : -1;
        }
        onLost();
        if (known == 0 && ErrorCode.isUnknownPartition(errorCode))
        {
            topic.doubt(clock.nowNs());
        }
        return errorCode == ErrorCode.NONE && leftOutPartition < 0;
    }

    @Override
    public boolean complete()
    {
        environment.counters().add(errorCode == ErrorCode.NONE && leftOutPartition < 0 ?
            ConsumerCounters.COMMITS : ConsumerCounters.COMMIT_FAILURES, 1);
        final boolean isOfMembership = member != null && GroupErrors.isOfMembership(errorCode);
        if (isOfMembership)
        {
            member.checkMembership();
        }
        return !isOfMembership;
    }

    private void onPartition(final int partition, final Commit commit, final short partitionErrorCode)
    {
        final long nowNs = clock.nowNs();
        commit.unknownSinceNs = UnknownPartitionTimeout.sinceNs(
            ErrorCode.isUnknownPartition(partitionErrorCode), commit.unknownSinceNs, nowNs);
        if (UnknownPartitionTimeout.isGone(commit.unknownSinceNs, nowNs))
        {
            commit.unknownSinceNs = UnknownPartitionTimeout.NEVER;
            commit.errorCode = partitionErrorCode;
            dropWaiting(commit);
            gonePartition = partition;
        }
        else if (partitionErrorCode == ErrorCode.NONE)
        {
            commit.committed = commit.sent;
            commit.errorCode = ErrorCode.NONE;
        }
        else if (ControlRequest.isRetriable(partitionErrorCode) ||
            member != null && GroupErrors.isOfMembership(partitionErrorCode))
        {
            waitAgain(commit);
        }
        else
        {
            commit.errorCode = partitionErrorCode;
        }
        errorCode = errorCode == ErrorCode.NONE ? partitionErrorCode : errorCode;
        dropSent(commit);
    }

    /** An offset that was in flight may or may not have been committed: it waits again, unless a newer one does. */
    @Override
    public void onLost()
    {
        for (int p = 0; p < commits.size() && sentCount > 0; p++)
        {
            if (commits.get(p).isSent())
            {
                waitAgain(commits.get(p));
                dropSent(commits.get(p));
            }
        }
        assert isConsistent() && sentCount == 0;
    }

    private void waitAgain(final Commit commit)
    {
        if (!commit.isWaiting())
        {
            putWaiting(commit, commit.sent, commit.sentEpoch);
        }
    }

    /** Give up all offsets that wait. */
    @Override
    void fail(final ApiKey failed, final short newErrorCode)
    {
        for (int p = 0; p < commits.size() && waitingCount > 0; p++)
        {
            if (commits.get(p).isWaiting())
            {
                dropWaiting(commits.get(p));
                commits.get(p).errorCode = newErrorCode;
            }
        }
        assert isConsistent() && waitingCount == 0;
    }

    private boolean isConsistent()
    {
        int waiting = 0;
        int sent = 0;
        for (int p = 0; p < commits.size(); p++)
        {
            waiting += commits.get(p).isWaiting() ? 1 : 0;
            sent += commits.get(p).isSent() ? 1 : 0;
        }
        // The numbers are those of the partitions that wait, and of those in flight.
        return waiting == waitingCount && sent == sentCount;
    }
}
