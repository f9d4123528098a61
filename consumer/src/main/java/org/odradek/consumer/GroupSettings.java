// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.handler.RevocationHandler;

import java.util.Map;
import java.util.function.Consumer;

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

    /** As {@link #from(Map, Consumer)}, with notes on the standard error stream. */
    public static GroupSettings from(final Map<?, ?> properties)
    {
        return from(properties, (note) -> System.err.println("odradek: " + note));
    }

    /**
     * Makes settings with which a service joins the group of its kafka-clients consumer. Keys that are not of groups
     * are left to {@link ConsumerContext#from}, and properties that are not given have the defaults of this class.
     * docs/kafka-properties.md lists all keys.
     *
     * @param properties a map with keys of Kafka's ConsumerConfig, or Properties, whose defaults count too.
     * @param notes      receives a sentence on each thing that Kafka's consumer would do otherwise.
     * @throws IllegalArgumentException with one sentence that names the key, its value and what it must be.
     */
    public static GroupSettings from(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        final Map<String, KafkaValue> values = ConfigProviders.values(properties, notes);
        if (!values.containsKey("group.id"))
        {
            throw new IllegalArgumentException("group.id is not set: it must name the group to join");
        }
        if (!values.containsKey("group.protocol"))
        {
            notes.accept("group.protocol is not given, and its default in Kafka is classic: the group is joined with " +
                "the protocol consumer (KIP-848), which brokers have from 4.0 on");
        }
        final GroupSettings settings = new GroupSettings(name(values.get("group.id")));
        CommitPolicy policy = settings.commitPolicy;
        for (final KafkaValue value : values.values())
        {
            switch (value.key())
            {
                case "group.protocol" -> checkProtocol(value);
                case "group.instance.id" -> settings.instanceId(name(value));
                case "group.remote.assignor" -> settings.assignor(name(value));
                case "max.poll.interval.ms" -> settings.revocationTimeoutMs(value.number(1, Integer.MAX_VALUE));
                case "auto.commit.interval.ms" ->
                    // Kafka's consumer commits at every poll if this is 0.
                    policy = CommitPolicy.delivered(Math.max(1, value.number(0, Integer.MAX_VALUE)));
                default ->
                {
                }
            }
        }
        final KafkaValue autoCommit = values.get("enable.auto.commit");
        return settings.commitPolicy(autoCommit == null || autoCommit.isTrue() ? policy : CommitPolicy.explicit());
    }

    private static String name(final KafkaValue value)
    {
        if (value.string().isEmpty())
        {
            throw value.wrong("it must have at least one character");
        }
        return value.string();
    }

    private static void checkProtocol(final KafkaValue value)
    {
        if (!value.string().equalsIgnoreCase("consumer"))
        {
            throw value.wrong("it must be consumer, because the classic protocol is not supported; members with " +
                "either protocol can be in one group");
        }
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
