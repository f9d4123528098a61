// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.RevocationHandler;

/**
 * The settings of a {@link TopicConsumer} that is a member of a consumer group, whose members share the partitions of
 * the topic.
 */
public final class GroupSettings
{
    /** The value of {@link #fenceAfterMs()} if it was not set. */
    public static final int FENCE_AFTER_INTERVALS = ConsumerSettings.Group.FENCE_AFTER_INTERVALS;

    final ConsumerSettings.Group values;
    private CommitPolicy commitPolicy;

    /** @param groupId the id of the group to join, under which the offsets are committed. */
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

    /** Returns the id of the group to join. */
    public String groupId()
    {
        return values.id;
    }

    /**
     * Makes the consumer a static member. No other member of the group may use the same instance id at the same time.
     * If the consumer is closed and joins again within the session timeout, 45 seconds by default, its partitions are
     * not assigned to other members. Null, the default, makes the consumer a dynamic member.
     */
    public GroupSettings instanceId(final String id)
    {
        values.instanceId = id;
        return this;
    }

    /** Returns the id of a static member, or null for a dynamic member. */
    public String instanceId()
    {
        return values.instanceId;
    }

    /**
     * Sets the id of the member, for simulations and tests that must repeat a run exactly. Do not set an id in other
     * cases, because two members must not have the same id.
     */
    public GroupSettings memberId(final String id)
    {
        values.memberId = id;
        return this;
    }

    /** Returns the id of the member, or null if none was set. */
    public String memberId()
    {
        return values.memberId;
    }

    /** Sets the protocol by which the consumer joins the group; the default is {@link GroupProtocol#AUTO}. */
    public GroupSettings protocol(final GroupProtocol newProtocol)
    {
        values.protocol = newProtocol;
        return this;
    }

    /** Returns the protocol by which the consumer joins the group. */
    public GroupProtocol protocol()
    {
        return values.protocol;
    }

    /**
     * Sets the name of an assignor of the brokers: uniform, range, or another assignor that is configured at the
     * brokers. Null, the default, selects the first assignor of the brokers. A classic group always uses {@code range}.
     */
    public GroupSettings assignor(final String name)
    {
        values.assignor = name;
        return this;
    }

    /** Returns the name of an assignor, or null for the first assignor of the brokers. */
    public String assignor()
    {
        return values.assignor;
    }

    /**
     * Determines which offsets are committed, and when. By default the offsets of delivered records are committed every
     * 5 seconds.
     */
    public GroupSettings commitPolicy(final CommitPolicy policy)
    {
        commitPolicy = policy;
        values.commitIntervalMs = policy == null ? -1 : policy.intervalMs();
        values.isAcknowledged = policy != null && policy.isAcknowledged();
        return this;
    }

    /** Returns the policy that determines which offsets are committed, and when. */
    public CommitPolicy commitPolicy()
    {
        return commitPolicy;
    }

    /**
     * Sets the longest time for revoking partitions, in milliseconds; the default is 60,000. The revocation handler has
     * at most half of this time. With the protocol {@code CONSUMER}, the coordinator removes a member that takes
     * longer. With {@code CLASSIC}, the rebalance timeout that the member sends is one heartbeat interval longer than
     * this time.
     */
    public GroupSettings revocationTimeoutMs(final int timeoutMs)
    {
        values.revocationTimeoutMs = timeoutMs;
        return this;
    }

    /** Returns the longest time for revoking partitions, in milliseconds. */
    public int revocationTimeoutMs()
    {
        return values.revocationTimeoutMs;
    }

    /**
     * Sets the handler that is called before a partition is revoked; the default is {@link RevocationHandler#AT_ONCE}.
     * For a handler that uses the consumer, call {@link GroupMembership#revocationHandler} instead.
     */
    public GroupSettings revocationHandler(final RevocationHandler handler)
    {
        values.revocationHandler = handler;
        return this;
    }

    /** Returns the handler that is called before a partition is revoked. */
    public RevocationHandler revocationHandler()
    {
        return values.revocationHandler;
    }

    /**
     * Sets the time in milliseconds without a confirmed heartbeat after which nothing is delivered, because the
     * coordinator may have assigned the partitions to other members. Set a time that is less than the session timeout:
     * otherwise another member may read a partition while this member still delivers its records. With the protocol
     * {@code CLASSIC}, a longer time is refused; with others the session timeout is that of the brokers. With 0 the
     * time is not limited. By default the time is 40 seconds or 8 of the brokers' heartbeat intervals, whichever is
     * shorter; with the classic protocol the time is eight ninths of {@link #sessionTimeoutMs()}.
     */
    public GroupSettings fenceAfterMs(final int afterMs)
    {
        values.fenceAfterMs = afterMs;
        return this;
    }

    /**
     * Returns the time in milliseconds without a confirmed heartbeat after which nothing is delivered; {@link
     * #FENCE_AFTER_INTERVALS} unless it was set.
     */
    public int fenceAfterMs()
    {
        return values.fenceAfterMs;
    }

    /**
     * Sets the longest time between two heartbeats, in milliseconds. With a shorter interval a member is notified
     * earlier of a new assignment, and sends more requests to the coordinator. With the protocol {@code CONSUMER}, the
     * brokers' interval applies, which is 5 seconds by default, unless this setting is shorter and not 0; 0 means half
     * of {@link #fenceAfterMs(int)} if that was set and is shorter. With {@code CLASSIC}, this setting applies, and 0
     * means 3 seconds. The default is 0. The interval must be shorter than {@code fenceAfterMs} and, unless the
     * protocol is {@code CONSUMER}, than {@link #sessionTimeoutMs(int)}.
     */
    public GroupSettings heartbeatIntervalMs(final int intervalMs)
    {
        values.heartbeatIntervalMs = intervalMs;
        return this;
    }

    /** Returns the longest time between two heartbeats in milliseconds, 0 by default. */
    public int heartbeatIntervalMs()
    {
        return values.heartbeatIntervalMs;
    }

    /**
     * Sets the time without a heartbeat after which the coordinator removes a member of a classic group, in
     * milliseconds; the default is 45,000. If the brokers assign the partitions, the brokers determine the time, and
     * this setting has no effect.
     */
    public GroupSettings sessionTimeoutMs(final int timeoutMs)
    {
        values.sessionTimeoutMs = timeoutMs;
        return this;
    }

    /** Returns the session timeout of a classic group in milliseconds. */
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
