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
 * The offsets to commit under a group id, and the request that commits them. The commit of a partition that the brokers
 * do not know is retried for a minute.
 */
public final class OffsetCommits extends GroupRequest
{
    private static final long NULL_OFFSET = -1;

    /** After this time a revocation does not wait for a commit, because the other members may wait for this one. */
    private static final long UNKNOWN_NS = 5_000_000_000L;

    private final TopicIdentity topic;
    private final Environment environment;
    private final DutyClock clock;
    private final OffsetCommitRequestEncoder request;
    private final OffsetCommitResponseFlyweight response = new OffsetCommitResponseFlyweight();
    /** This field is null if the consumer is not a member of the group. */
    private GroupMember member;
    private String memberId;
    private int waitingCount;
    private int sentCount;
    private int gonePartition = -1;
    private int seenRecreations;
    private final PerPartition<Commit> commits = new PerPartition<>(Commit::new);

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
     * Commits an offset. The offset replaces an offset of the same partition that still waits.
     *
     * @param nextOffset  the offset of the next record to read.
     * @param leaderEpoch the leader epoch of the last record that was read, or -1 if it is not known.
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

    /** Drops the offsets of a topic that was deleted and created again, which refer to other records now. */
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

    @Override
    boolean isDue()
    {
        return waitingCount > 0 && (member == null || member.epoch() > 0) && !isHeld();
    }

    /** Returns true if offsets wait until metadata shows whether the topic still exists. */
    boolean isHeld()
    {
        return waitingCount > 0 && topic.isInDoubt() &&
            !UnknownPartitionTimeout.isGone(topic.inDoubtSinceNs(), clock.nowNs());
    }

    /** Returns true if brokers have answered for some time that the topic does not exist. */
    boolean isTopicUnknown()
    {
        return topic.unknownNs() >= UNKNOWN_NS;
    }

    public boolean isIdle()
    {
        return waitingCount == 0 && sentCount == 0;
    }

    /** Returns true if the commit of a partition was not sent. */
    boolean isAnyWaiting()
    {
        return waitingCount > 0;
    }

    public boolean isOutstanding(final int partition)
    {
        return partition < commits.size() && (commits.get(partition).isWaiting() || commits.get(partition).isSent());
    }

    /**
     * Returns the offset of a partition that waits, or else its offset in flight, or else its last confirmed offset; -1
     * if there is none.
     */
    public long newestOffset(final int partition)
    {
        if (!isOutstanding(partition))
        {
            return committedOffset(partition);
        }
        return commits.get(partition).isWaiting() ? commits.get(partition).waiting : commits.get(partition).sent;
    }

    /**
     * Drops the commits of a partition: an offset that waits is not sent, and the answer to an offset in flight is
     * ignored.
     *
     * @param partition the id of a partition that has been committed or discarded before.
     */
    public void giveUp(final int partition)
    {
        commits.get(partition).isDiscarded |= isOutstanding(partition);
        dropWaiting(commits.get(partition));
        dropSent(commits.get(partition));
    }

    /** Drops the commits of a partition, and forgets its confirmed offset. */
    public void discard(final int partition)
    {
        commits.ensureSize(partition + 1);
        giveUp(partition);
        final Commit commit = commits.get(partition);
        commit.committed = NULL_OFFSET;
        commit.unknownSinceNs = UnknownPartitionTimeout.NEVER;
        commit.errorCode = ErrorCode.NONE;
    }

    /** Counts a refused commit as dropped, because this member does not replace it any more. */
    void endOwnership(final int partition)
    {
        if (commits.has(partition))
        {
            final Commit commit = commits.get(partition);
            commit.isDiscarded |= commit.errorCode != ErrorCode.NONE;
        }
    }

    public void forgetDiscarded()
    {
        for (int p = 0; p < commits.size(); p++)
        {
            commits.get(p).isDiscarded = false;
        }
    }

    /** Returns true if a commit of a partition was dropped since the last {@link #forgetDiscarded()}. */
    public boolean isDiscarded(final int partition)
    {
        return commits.has(partition) && commits.get(partition).isDiscarded;
    }

    public long committedOffset(final int partition)
    {
        return commits.has(partition) ? commits.get(partition).committed : NULL_OFFSET;
    }

    /** Returns the error with which the last commit of a partition was refused; otherwise 0. */
    public short errorCode(final int partition)
    {
        return commits.has(partition) ? commits.get(partition).errorCode : ErrorCode.NONE;
    }

    /**
     * Returns the sentence about an offset that was discarded because the brokers do not know its partition, once; null
     * for none.
     */
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

    /**
     * The offsets of a lost request wait again, unless newer offsets wait, because the lost ones may not have been
     * committed.
     */
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
        // The numbers count the partitions with offsets that wait, and those with offsets in flight.
        return waiting == waitingCount && sent == sentCount;
    }
}
