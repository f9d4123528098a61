// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.handler.RevocationHandler;

/**
 * The settings of a {@link TopicConsumer} that is a member of a consumer group (KIP-848): the brokers divide the
 * partitions of the topic among the members. {@link ConsumerContext#group} sets them. Brokers from 4.0 on have such
 * groups, and members of older clients may be in the same group.
 */
public final class GroupSettings
{
    /** The value of {@link #fenceAfterMs()} unless set. */
    public static final int FENCE_AFTER_INTERVALS = -1;

    private static final int COMMIT_INTERVAL_MS_DEFAULT = 5_000;
    private static final int REVOCATION_TIMEOUT_MS_DEFAULT = 60_000;

    private final String groupId;
    private String instanceId;
    private String assignor;
    private CommitPolicy commitPolicy = CommitPolicy.delivered(COMMIT_INTERVAL_MS_DEFAULT);
    private int revocationTimeoutMs = REVOCATION_TIMEOUT_MS_DEFAULT;
    private RevocationHandler revocationHandler = RevocationHandler.AT_ONCE;
    private int fenceAfterMs = FENCE_AFTER_INTERVALS;
    private int heartbeatIntervalMs;

    /** @param groupId of the group to join; the offsets are committed under it. */
    public GroupSettings(final String groupId)
    {
        this.groupId = groupId;
    }

    public String groupId()
    {
        return groupId;
    }

    /**
     * Makes the consumer a static member. It is the name of this process in the group, which no other process may use
     * at the same time. If it leaves by a close and is back within the session timeout of the brokers, which is 45
     * seconds unless they set another, its partitions are not given to others. Null, as unless set, for a dynamic
     * member.
     */
    public GroupSettings instanceId(final String id)
    {
        instanceId = id;
        return this;
    }

    public String instanceId()
    {
        return instanceId;
    }

    /** The name of the brokers' assignor to use: uniform or range, unless they have others. Null: their first. */
    public GroupSettings assignor(final String name)
    {
        assignor = name;
        return this;
    }

    public String assignor()
    {
        return assignor;
    }

    /** Which offsets are committed, and when; those of delivered records every 5 seconds unless set. */
    public GroupSettings commitPolicy(final CommitPolicy policy)
    {
        commitPolicy = policy;
        return this;
    }

    public CommitPolicy commitPolicy()
    {
        return commitPolicy;
    }

    /**
     * How long giving up partitions may take, in milliseconds: 60,000 unless set. It includes the revocation handler
     * and the commit. The brokers are given this time, and remove a member that takes longer.
     */
    public GroupSettings revocationTimeoutMs(final int timeoutMs)
    {
        revocationTimeoutMs = timeoutMs;
        return this;
    }

    public int revocationTimeoutMs()
    {
        return revocationTimeoutMs;
    }

    /** Is asked before a partition is given up; {@link RevocationHandler#AT_ONCE} unless set. */
    public GroupSettings revocationHandler(final RevocationHandler handler)
    {
        revocationHandler = handler;
        return this;
    }

    public RevocationHandler revocationHandler()
    {
        return revocationHandler;
    }

    /**
     * Deliver nothing if the coordinator has confirmed no heartbeat for this long, in milliseconds, because it may have
     * given the partitions to others: after the process was suspended, or while the coordinator cannot be reached. Less
     * than the session timeout of the brokers, it prevents that two members deliver records of a partition. 0 delivers
     * always, as Kafka's consumer does. Unless set it is the lesser of 40 seconds and 8 heartbeat intervals.
     */
    public GroupSettings fenceAfterMs(final int afterMs)
    {
        fenceAfterMs = afterMs;
        return this;
    }

    /** {@link #FENCE_AFTER_INTERVALS} unless set. */
    public int fenceAfterMs()
    {
        return fenceAfterMs;
    }

    /**
     * The longest time between two heartbeats, in milliseconds. A member learns of a new assignment only by a
     * heartbeat, so a shorter one speeds up changes, and costs the coordinator more requests. 0, as unless set, leaves
     * it to the brokers, whose interval is 5 seconds unless they set another. A longer one than theirs has no effect.
     */
    public GroupSettings heartbeatIntervalMs(final int intervalMs)
    {
        heartbeatIntervalMs = intervalMs;
        return this;
    }

    public int heartbeatIntervalMs()
    {
        return heartbeatIntervalMs;
    }

    /** @throws IllegalArgumentException with one sentence that names the setting, its value and what it must be. */
    void check()
    {
        hasText("groupId", groupId, false);
        hasText("instanceId", instanceId, true);
        hasText("assignor", assignor, true);
        if (commitPolicy == null || revocationHandler == null)
        {
            throw new IllegalArgumentException(
                (commitPolicy == null ? "commitPolicy" : "revocationHandler") + " of a group is null: it must be set");
        }
        isAtLeast("revocationTimeoutMs", revocationTimeoutMs, 1);
        isAtLeast("heartbeatIntervalMs", heartbeatIntervalMs, 0);
        isAtLeast("fenceAfterMs", fenceAfterMs, FENCE_AFTER_INTERVALS);
        if (fenceAfterMs > 0 && fenceAfterMs <= heartbeatIntervalMs)
        {
            throw new IllegalArgumentException("fenceAfterMs is " + fenceAfterMs +
                ": it must be more than heartbeatIntervalMs, which is " + heartbeatIntervalMs + ", or 0");
        }
    }

    private static void hasText(final String name, final String value, final boolean mayBeNull)
    {
        if (value == null ? !mayBeNull : value.isBlank())
        {
            throw new IllegalArgumentException(name + " of a group is " + (value == null ? "null" : "'" + value + "'") +
                ": it must have at least one character that is not blank");
        }
    }

    private static void isAtLeast(final String name, final int value, final int least)
    {
        if (value < least)
        {
            throw new IllegalArgumentException(name + " of a group is " + value + ": it must be " + least + " or more");
        }
    }

    @Override
    public String toString()
    {
        return "group " + groupId + (instanceId == null ? "" : " as " + instanceId);
    }
}
