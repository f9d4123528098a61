// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ConnectionRole;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.protocol.TopicName;
import org.odradek.protocol.WireLimits;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The values of the settings of a consumer, which the API documents. Null or 0 may mean that {@link #concluded(long)}
 * derives the value. The API and Kafka's properties write the fields.
 */
public final class ConsumerSettings extends ClientSettings
{
    /** The first length of the decompression buffer in bytes: many batches of the usual size fit into it. */
    public static final int DECOMPRESSION_LENGTH = 1024 * 1024;
    /** The default of Kafka's message.max.bytes. */
    private static final int BROKER_MAX_BATCH_LENGTH = 1_048_588;
    /** The room in bytes for the fields of a fetch response besides its record sets. */
    private static final int FRAMING = 64 * 1024;
    private static final int FRAMING_PER_PARTITION = 96;
    /** The bytes of a partition in a fetch request: one entry to fetch, and one entry to forget. */
    private static final int FETCH_PER_PARTITION = 33 + 4;
    /** The bytes of a partition in requests to a group's coordinator: one entry to commit, and one entry to fetch. */
    private static final int GROUP_PER_PARTITION = 32 + 4;
    private static final int REQUEST = 4 * 1024;

    /** The largest size of the first fetch in bytes: about half of an L2 cache. */
    private static final int FIRST_FETCH_MAX_BYTES = 1 << 20;
    private static final int MOST_FETCH_CONNECTIONS = 8;

    public String topic;
    /** The partitions to read; null for all partitions of the topic. */
    public int[] partitions;
    /** Selects the partitions to read among all partitions; null for all. */
    public IntPredicate share;
    /** This field is null without a group. */
    public Group group;
    public boolean isAutoCommit;
    public Start startPosition = Start.LATEST;
    public Map<Integer, Start> startPositions = new HashMap<>();
    public OffsetResetPolicy offsetResetPolicy = OffsetResetPolicy.fail();
    public String clientRack = "";
    /**
     * The least number of partitions of a broker with which a fetch session is used; {@link Integer#MAX_VALUE} for
     * never.
     */
    public int sessionMinPartitions;
    public int fetchMaxBytes;
    /** The limit in bytes; 0 for {@link #FIRST_FETCH_MAX_BYTES}, or an equal part of the fetch if that is more. */
    public int partitionMaxBytes;
    /**
     * The memory in bytes; 0 for a value that {@link #concluded(long)} derives from {@link #fetchMaxBytes} and {@link
     * #fetchConnections}.
     */
    public int fetchMemory;
    /**
     * The number of connections; 0 for a number that depends on the round-trip time and on what more connections gain.
     */
    public int fetchConnections;
    public int fetchMinBytes;
    public int fetchMaxWaitMs;
    public int latencyBudgetMs;
    public boolean checkCrcs = true;
    public boolean isSkippingCorrupt;
    public HandlerErrorPolicy handlerErrorPolicy = HandlerErrorPolicy.STOP;
    public boolean isReadCommitted;
    public int decompressionBufferMaxLength = 64 * 1024 * 1024;
    public long stallThresholdNs;

    /**
     * Checks all values, and derives those that were not set.
     *
     * @param directLeft the bytes of direct memory that can still be allocated.
     * @return a copy with the derived values.
     */
    public ConsumerSettings concluded(final long directLeft)
    {
        check();
        final ConsumerSettings copy = copy();
        copy.fetchMemory = fetchMemory == 0 ? usualFetchMemory(directLeft) : fetchMemory;
        if (group != null)
        {
            copy.startPosition = committedOr(startPosition);
            copy.startPositions.replaceAll((partition, position) -> committedOr(position));
        }
        return copy;
    }

    /** Takes over what {@link #concluded(long)} has derived. */
    public void takeDerived(final ConsumerSettings concluded)
    {
        fetchMemory = concluded.fetchMemory;
        group = concluded.group;
        startPosition = concluded.startPosition;
        startPositions = concluded.startPositions;
    }

    private Start committedOr(final Start position)
    {
        return group.id.equals(position.groupId()) ? position : Start.committed(group.id, position);
    }

    @Override
    public ConsumerSettings copy()
    {
        final ConsumerSettings copy = (ConsumerSettings)super.copy();
        copy.startPositions = new HashMap<>(startPositions);
        copy.group = group == null ? null : group.copy();
        return copy;
    }

    /** Returns the start position of a partition that was not added to the topic later. */
    public Start startPosition(final int partition)
    {
        return startPositions.getOrDefault(partition, startPosition);
    }

    /** Returns the rack of this client, or null if none is set. */
    public String rackOrNull()
    {
        return clientRack.isEmpty() ? null : clientRack;
    }

    @Override
    public int partitionCount()
    {
        return partitions == null ? 0 : partitions.length;
    }

    /**
     * Returns the direct memory that a consumer needs, in bytes.
     *
     * @param perConnection the bytes that TLS needs for each connection.
     */
    public long memoryBudget(final int perConnection)
    {
        final Set<String> groupIds = new HashSet<>();
        startPosition.addGroupsTo(groupIds);
        startPositions.values().forEach((position) -> position.addGroupsTo(groupIds));
        final int control = controlBufferLength();
        final long partitionCount = partitionCount();
        final long perLeader = (long)fetchMemory + control +
            2L * mostFetchConnections() * (REQUEST + partitionCount * FETCH_PER_PARTITION);
        // A group has a request of its connection, and requests to find the coordinator, to commit and to fetch.
        final long perGroup = control + 4 * REQUEST + partitionCount * GROUP_PER_PARTITION;
        // One connection is for control, one for each group; each leader has those to fetch and one to look up offsets.
        final long connections = 1 + (mostFetchConnections() + 1L) * expectedLeaders + groupIds.size();
        return control + REQUEST + DECOMPRESSION_LENGTH + expectedLeaders * perLeader + groupIds.size() * perGroup +
            connections * perConnection;
    }

    /** Returns the number of bytes that a first fetch, or a fetch at the ends of the logs, requests. */
    public int firstFetchMaxBytes()
    {
        return Math.min(fetchMaxBytes, Math.max(FIRST_FETCH_MAX_BYTES, fetchMinBytes));
    }

    /** Returns the initial length of the receive buffer of a fetching connection. */
    public int receiveBufferLength()
    {
        return receiveBufferLength(firstFetchMaxBytes());
    }

    /**
     * Returns the length of the receive buffer of a fetching connection for fetches of up to {@code maxBytes} bytes:
     * the buffer has room for a full response, or for the largest usual batch.
     */
    public int receiveBufferLength(final int maxBytes)
    {
        return (int)Math.min(MAX_LENGTH, (long)Math.max(maxBytes, BROKER_MAX_BATCH_LENGTH) + FRAMING +
            (long)partitionCount() * FRAMING_PER_PARTITION);
    }

    /**
     * Returns the length to which the receive buffer of a connection may grow for a batch. Only the buffer of the first
     * connection to a broker may exceed its part of {@link #fetchMemory}, because that connection reads larger batches.
     */
    @Override
    public int receiveBufferMaxLength(final ConnectionRole role)
    {
        // While a buffer grows there is the old one, too.
        return role == ConnectionRole.FIRST ? receiveBufferMaxLength :
            Math.max(receiveBufferLength(), fetchMemory / (1 + mostFetchConnections()));
    }

    /**
     * Returns the length in bytes of a buffer for the largest fetch, limited so that all expected leaders together use
     * at most half of the direct memory that is left. The result is at least the length of the first buffers of {@link
     * #fetchConnections} connections; if this number is 0, of as many connections as together request {@link
     * #fetchMaxBytes} with their first fetches, but not more than 8.
     */
    private int usualFetchMemory(final long directLeft)
    {
        final int connections = isFetchConnectionsAuto() ?
            Math.min(MOST_FETCH_CONNECTIONS, fetchMaxBytes / firstFetchMaxBytes()) : fetchConnections;
        final long oneBuffer = Math.min(receiveBufferLength(fetchMaxBytes), directLeft / 2 / expectedLeaders);
        return (int)Math.max(firstBuffers(connections), oneBuffer);
    }

    private int firstBuffers(final int connections)
    {
        return (int)Math.min(MAX_LENGTH, (long)connections * receiveBufferLength());
    }

    public boolean isFetchConnectionsAuto()
    {
        return fetchConnections == 0;
    }

    /** Returns the largest number of connections over which the partitions of one broker are fetched; at least 1. */
    public int mostFetchConnections()
    {
        return isFetchConnectionsAuto() ?
            Math.max(1, Math.min(MOST_FETCH_CONNECTIONS, fetchMemory / receiveBufferLength())) : fetchConnections;
    }

    /** Returns the number of bytes at which the broker answers a batched fetch before the latency budget has passed. */
    public int batchedMinBytes()
    {
        return Math.max(1, Math.min(fetchMaxBytes, leastPartitionMaxBytes()) / 2);
    }

    /** Returns the largest number of bytes of a partition in a first response, and at the end of the logs. */
    public int leastPartitionMaxBytes()
    {
        return partitionMaxBytes == 0 ? FIRST_FETCH_MAX_BYTES : partitionMaxBytes;
    }

    /**
     * Returns the largest number of bytes of each partition in a response: an equal part, unless the user has set a
     * limit.
     *
     * @param maxBytes       the largest number of bytes of the response.
     * @param partitionCount the number of partitions that share the response.
     */
    public int partitionMaxBytes(final int maxBytes, final int partitionCount)
    {
        return partitionMaxBytes == 0 ?
            Math.max(FIRST_FETCH_MAX_BYTES, maxBytes / Math.max(1, partitionCount)) : partitionMaxBytes;
    }

    /**
     * Returns the largest number of bytes that a response with {@code partitionCount} partitions can have. Fetches do
     * not request more.
     */
    public int mostFetchMaxBytes(final int partitionCount)
    {
        return partitionMaxBytes == 0 ?
            fetchMaxBytes : (int)Math.min(fetchMaxBytes, (long)partitionCount * partitionMaxBytes);
    }

    /** The values of the settings of a member of a consumer group. */
    public static final class Group implements Cloneable
    {
        /** The value of {@link #fenceAfterMs} if it was not set. */
        public static final int FENCE_AFTER_INTERVALS = -1;

        public final String id;
        public GroupProtocol protocol = GroupProtocol.AUTO;
        /** The id of the member; null for a random id. */
        public String memberId;
        /** The id of a static member; null for a dynamic member. */
        public String instanceId;
        /** The name of an assignor; null for the first assignor of the broker. */
        public String assignor;
        /** The time between two commits in milliseconds; 0 if only the application commits. */
        public int commitIntervalMs = 5_000;
        /** True if the acknowledged offsets are committed at the interval, instead of the delivered ones. */
        public boolean isAcknowledged;
        public int revocationTimeoutMs = 60_000;
        public RevocationHandler revocationHandler = RevocationHandler.AT_ONCE;
        public int fenceAfterMs = FENCE_AFTER_INTERVALS;
        /** The longest time between two heartbeats in milliseconds; 0 for the interval of the brokers. */
        public int heartbeatIntervalMs;
        public int sessionTimeoutMs = 45_000;

        public Group(final String id)
        {
            this.id = id;
        }

        Group copy()
        {
            try
            {
                return (Group)clone();
            }
            catch (final CloneNotSupportedException ex)
            {
                throw new AssertionError(ex);
            }
        }

        public boolean hasCommitInterval()
        {
            return commitIntervalMs > 0;
        }

        @Override
        public String toString()
        {
            return "group " + id + (instanceId == null ? "" : " as " + instanceId);
        }
    }

    /** Checks all values. An exception has one sentence that names the setting, its value and what it must be. */
    private void check()
    {
        TopicName.check(topic);
        checkPartitions();
        checkGroup();
        checkFetching();
        checkSet("startPosition", startPosition);
        checkSet("offsetResetPolicy", offsetResetPolicy);
        checkSet("handlerErrorPolicy", handlerErrorPolicy);
        checkSet("clientRack", clientRack);
    }

    private void checkPartitions()
    {
        final int[] sorted = partitions == null ? new int[0] : partitions.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++)
        {
            if (sorted[i] < 0 || sorted[i] >= WireLimits.MAX_PARTITIONS || i > 0 && sorted[i] == sorted[i - 1])
            {
                throw new IllegalArgumentException("partitions has " + sorted[i] + ": each must be from 0 to " +
                    (WireLimits.MAX_PARTITIONS - 1) + ", and be given once");
            }
        }
        startPositions.forEach((partition, start) ->
        {
            if (partition < 0 || partitions != null && Arrays.binarySearch(sorted, partition) < 0)
            {
                throw new IllegalArgumentException("startPosition is given for partition " + partition +
                    ", which is not among partitions " + Arrays.toString(partitions));
            }
            checkSet("startPosition of partition " + partition, start);
        });
    }

    private void checkFetching()
    {
        checkRange("fetchMaxBytes", fetchMaxBytes, 1, 1 << 30);
        checkRange("partitionMaxBytes", partitionMaxBytes, 0, 1 << 30);
        checkRange("fetchMinBytes", fetchMinBytes, 0, fetchMaxBytes);
        checkPositive("requestTimeoutMs", requestTimeoutMs);
        checkRange("fetchMaxWaitMs (must stay below requestTimeoutMs)", fetchMaxWaitMs, 0, requestTimeoutMs - 1);
        checkRange("latencyBudgetMs (must not exceed fetchMaxWaitMs)", latencyBudgetMs, 0, fetchMaxWaitMs);
        if (latencyBudgetMs > 0 && fetchMinBytes > 1)
        {
            throw new IllegalArgumentException("latencyBudgetMs is " + latencyBudgetMs +
                " and fetchMinBytes is " + fetchMinBytes +
                ": both make the broker wait, so set only one of them");
        }
        checkRange("receiveBufferMaxLength (must hold fetchMaxBytes, a batch of 1048588 and framing)",
            receiveBufferMaxLength, receiveBufferLength(fetchMaxBytes), MAX_LENGTH);
        checkRange("fetchConnections", fetchConnections, 0, MOST_FETCH_CONNECTIONS);
        if (fetchMemory != 0)
        {
            checkRange("fetchMemory (must hold a first response and framing for each of fetchConnections)",
                fetchMemory, firstBuffers(Math.max(1, fetchConnections)), MAX_LENGTH);
        }
        checkRange("decompressionBufferMaxLength",
            decompressionBufferMaxLength, DECOMPRESSION_LENGTH, MAX_LENGTH);
    }

    private void checkGroup()
    {
        if (group == null)
        {
            if (isAutoCommit)
            {
                throw new IllegalArgumentException("enable.auto.commit is true, and no group is given: it must " +
                    "be false, because offsets are committed automatically only in a group: join it with " +
                    "joinGroup, call groupOffsets(group).commitAsync, or keep offsets in an OffsetFile");
            }
            return;
        }
        checkText("groupId", group.id, false);
        checkText("memberId", group.memberId, true);
        checkText("instanceId", group.instanceId, true);
        checkText("assignor", group.assignor, true);
        checkSet("protocol of a group", group.protocol);
        checkSet("commitPolicy of a group", group.commitIntervalMs < 0 ? null : group);
        checkSet("revocationHandler of a group", group.revocationHandler);
        checkLeast("revocationTimeoutMs", group.revocationTimeoutMs, 1);
        checkLeast("sessionTimeoutMs", group.sessionTimeoutMs, 1);
        checkLeast("heartbeatIntervalMs", group.heartbeatIntervalMs, 0);
        checkLeast("fenceAfterMs", group.fenceAfterMs, Group.FENCE_AFTER_INTERVALS);
        if (group.fenceAfterMs > 0)
        {
            checkLonger("fenceAfterMs", group.fenceAfterMs, group.heartbeatIntervalMs, ", or 0");
        }
        if (group.protocol != GroupProtocol.CONSUMER)
        {
            checkLonger("sessionTimeoutMs", group.sessionTimeoutMs, group.heartbeatIntervalMs, "");
        }
    }

    private static void checkLonger(final String name, final int value, final int intervalMs, final String otherwise)
    {
        if (value <= intervalMs)
        {
            throw new IllegalArgumentException(name + " is " + value +
                ": it must be more than heartbeatIntervalMs, which is " + intervalMs + otherwise);
        }
    }

    private static void checkText(final String name, final String value, final boolean mayBeNull)
    {
        if (value == null ? !mayBeNull : value.isBlank())
        {
            throw new IllegalArgumentException(name + " of a group is " +
                (value == null ? "null" : "'" + value + "'") +
                ": it must have at least one character that is not blank");
        }
    }

    private static void checkLeast(final String name, final int value, final int least)
    {
        if (value < least)
        {
            throw new IllegalArgumentException(
                name + " of a group is " + value + ": it must be " + least + " or more");
        }
    }
}
