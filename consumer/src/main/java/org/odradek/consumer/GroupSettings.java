// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.RevocationHandler;

/**
 * The settings of a {@link TopicConsumer} that is a member of a consumer group: the partitions of the topic are shared
 * by the members. {@link ConsumerContext#group(GroupSettings)} sets them. Members of other clients may be in the same
 * group.
 */
public final class GroupSettings
{
    /** The value of {@link #fenceAfterMs()} unless set. */
    public static final int FENCE_AFTER_INTERVALS = ConsumerSettings.Group.FENCE_AFTER_INTERVALS;

    final ConsumerSettings.Group values;
    private CommitPolicy commitPolicy;

    /** @param groupId of the group to join; the offsets are committed under it. */
    public GroupSettings(final String groupId)
    {
        this(new ConsumerSettings.Group(groupId));
    }

    private GroupSettings(final ConsumerSettings.Group values)
    {
        this.values = values;
        commitPolicy = values.hasCommitInterval() ?
            CommitPolicy.delivered(values.commitIntervalMs) : CommitPolicy.explicit();
    }

    static GroupSettings of(final ConsumerSettings.Group values)
    {
        return new GroupSettings(values);
    }

    /** The id of the group to join. */
    public String groupId()
    {
        return values.id;
    }

    /**
     * Makes the consumer a static member. The id is the name of this process in the group, which no other process may
     * use at the same time. If the consumer closes and is back within the session timeout of the brokers, 45 seconds by
     * default, its partitions are not assigned to others. Null, the default, makes it a dynamic member.
     */
    public GroupSettings instanceId(final String id)
    {
        values.instanceId = id;
        return this;
    }

    /** The id of a static member, or null for a dynamic one. */
    public String instanceId()
    {
        return values.instanceId;
    }

    /**
     * The id of the member, for simulations and tests that must repeat a run exactly. It is new and random unless set.
     * Do not set it in other cases: members with equal ids take each other's partitions.
     */
    public GroupSettings memberId(final String id)
    {
        values.memberId = id;
        return this;
    }

    /** Null, the default, for a random id. */
    public String memberId()
    {
        return values.memberId;
    }

    /** The protocol by which the consumer joins the group; {@link GroupProtocol#AUTO} unless set. */
    public GroupSettings protocol(final GroupProtocol newProtocol)
    {
        values.protocol = newProtocol;
        return this;
    }

    /** The value of {@link #protocol(GroupProtocol)}. */
    public GroupProtocol protocol()
    {
        return values.protocol;
    }

    /**
     * The name of an assignor of the brokers: uniform, range, or one that is configured at the brokers. Null, the
     * default, for their first one. A classic group uses {@code range}.
     */
    public GroupSettings assignor(final String name)
    {
        values.assignor = name;
        return this;
    }

    /** The name of an assignor, or null for the brokers' first. */
    public String assignor()
    {
        return values.assignor;
    }

    /** Determines which offsets are committed, and when; those of delivered records every 5 seconds unless set. */
    public GroupSettings commitPolicy(final CommitPolicy policy)
    {
        commitPolicy = policy;
        values.commitIntervalMs = policy == null ? -1 : policy.intervalMs();
        values.isAcknowledged = policy != null && policy.isAcknowledged();
        return this;
    }

    /** The value of {@link #commitPolicy(CommitPolicy)}. */
    public CommitPolicy commitPolicy()
    {
        return commitPolicy;
    }

    /**
     * The longest time for revoking partitions, in milliseconds: 60,000 unless set. It includes the revocation handler
     * and the commit. It is sent to the brokers, which remove a member that takes longer.
     */
    public GroupSettings revocationTimeoutMs(final int timeoutMs)
    {
        values.revocationTimeoutMs = timeoutMs;
        return this;
    }

    /** The value of {@link #revocationTimeoutMs(int)}. */
    public int revocationTimeoutMs()
    {
        return values.revocationTimeoutMs;
    }

    /**
     * Is called before a partition is revoked; {@link RevocationHandler#AT_ONCE} unless set. {@link
     * GroupMembership#revocationHandler} sets one that uses the consumer.
     */
    public GroupSettings revocationHandler(final RevocationHandler handler)
    {
        values.revocationHandler = handler;
        return this;
    }

    /** The value of {@link #revocationHandler(RevocationHandler)}. */
    public RevocationHandler revocationHandler()
    {
        return values.revocationHandler;
    }

    /**
     * The time in milliseconds without a confirmed heartbeat after which nothing is delivered, because the coordinator
     * may have assigned the partitions to others: after the process was suspended, or while the coordinator cannot be
     * reached. If it is less than the session timeout of the brokers, no two members deliver records of a partition.
     * With 0 delivery never stops, as in Kafka's consumer. Unless set it is the lesser of 40 seconds and 8 of the
     * brokers' heartbeat intervals, whatever {@link #heartbeatIntervalMs()} is, and with the classic protocol eight
     * ninths of {@link #sessionTimeoutMs()}.
     */
    public GroupSettings fenceAfterMs(final int afterMs)
    {
        values.fenceAfterMs = afterMs;
        return this;
    }

    /** {@link #FENCE_AFTER_INTERVALS} unless set. */
    public int fenceAfterMs()
    {
        return values.fenceAfterMs;
    }

    /**
     * The longest time between two heartbeats, in milliseconds. A member is notified of a new assignment only by the
     * response to a heartbeat, so a shorter interval makes changes faster, and causes more requests to the coordinator.
     * With 0, the default, the brokers determine it: 5 seconds by default. An interval longer than theirs has no
     * effect. With the classic protocol the brokers determine none, and 0 means 3 seconds. Unless the protocol is
     * {@code CONSUMER} it must be shorter than {@link #sessionTimeoutMs(int)}.
     */
    public GroupSettings heartbeatIntervalMs(final int intervalMs)
    {
        values.heartbeatIntervalMs = intervalMs;
        return this;
    }

    /** The value of {@link #heartbeatIntervalMs(int)}. */
    public int heartbeatIntervalMs()
    {
        return values.heartbeatIntervalMs;
    }

    /**
     * The time without a heartbeat after which the coordinator removes a member of a classic group, in milliseconds:
     * 45,000 unless set. Brokers limit it, by default to 6 seconds to 30 minutes. Where the brokers assign the
     * partitions, they set the time for each group, and this has no effect.
     */
    public GroupSettings sessionTimeoutMs(final int timeoutMs)
    {
        values.sessionTimeoutMs = timeoutMs;
        return this;
    }

    /** The value of {@link #sessionTimeoutMs(int)}. */
    public int sessionTimeoutMs()
    {
        return values.sessionTimeoutMs;
    }

    @Override
    public String toString()
    {
        return values.toString();
    }
}
