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

/** The settings of a consumer, which {@code ConsumerContext} and {@code GroupSettings} document. */
public final class ConsumerSettings extends ClientSettings
{
    public static final int DECOMPRESSION_LENGTH = 1024 * 1024;
    /** The default of Kafka's message.max.bytes. */
    private static final int BROKER_MAX_BATCH_LENGTH = 1_048_588;
    /** The room in bytes for the fields of a fetch response besides its record sets. */
    private static final int FRAMING = 64 * 1024;
    private static final int FRAMING_PER_PARTITION = 96;
    /** The bytes of a partition in a fetch request: one entry to fetch, and one entry to forget. */
    private static final int FETCH_PER_PARTITION = 33 + 4;
    private static final int GROUP_PER_PARTITION = 32 + 4;
    private static final int REQUEST = 4 * 1024;

    private static final int FIRST_FETCH_MAX_BYTES = 1 << 20;
    private static final int MOST_FETCH_CONNECTIONS = 8;

    public String topic;
    /** Null means that the settings do not list partitions. */
    public int[] partitions;
    public IntPredicate share;
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
    public int partitionMaxBytes;
    public long fetchMemory;
    public int fetchConnections;
    public int fetchMinBytes;
    public int fetchMaxWaitMs;
    public int latencyBudgetMs;
    public boolean checkCrcs = true;
    public boolean isSkippingCorrupt;
    public HandlerErrorPolicy handlerErrorPolicy = HandlerErrorPolicy.STOP;
    public boolean isReadCommitted;
    public int decompressionBufferMaxLength = 64 * 1024 * 1024;
    public long stallThresholdNs = 1_000_000_000L;

    /** Returns a checked copy, in which values that were not set are derived from others. */
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

    public Start startPosition(final int partition)
    {
        return startPositions.getOrDefault(partition, startPosition);
    }

    public String rackOrNull()
    {
        return clientRack.isEmpty() ? null : clientRack;
    }

    @Override
    public int partitionCount()
    {
        return partitions == null ? 0 : partitions.length;
    }

    /** Returns the direct memory in bytes that a consumer needs with {@code expectedLeaders} leaders. */
    public long memoryBudget(final int perConnection)
    {
        final Set<String> groupIds = new HashSet<>();
        startPosition.addGroupsTo(groupIds);
        startPositions.values().forEach((position) -> position.addGroupsTo(groupIds));
        final int control = controlBufferLength();
        final long partitionCount = partitionCount();
        final long perLeader = fetchMemory + control +
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

    public int receiveBufferLength()
    {
        return receiveBufferLength(firstFetchMaxBytes());
    }

    public int receiveBufferLength(final int maxBytes)
    {
        return (int)Math.min(MAX_LENGTH, (long)Math.max(maxBytes, BROKER_MAX_BATCH_LENGTH) + FRAMING +
            (long)partitionCount() * FRAMING_PER_PARTITION);
    }

    /** Only the first connection to a broker may exceed its part of {@link #fetchMemory}. */
    @Override
    public int receiveBufferMaxLength(final ConnectionRole role)
    {
        // While a buffer grows there is the old one, too.
        return role == ConnectionRole.FIRST ? receiveBufferMaxLength :
            (int)Math.max(receiveBufferLength(), fetchMemory / (1 + mostFetchConnections()));
    }

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

    public int mostFetchConnections()
    {
        return isFetchConnectionsAuto() ?
            (int)Math.max(1, Math.min(MOST_FETCH_CONNECTIONS, fetchMemory / receiveBufferLength())) : fetchConnections;
    }

    /** Returns the {@code min_bytes} of a fetch that the broker may hold for the latency budget. */
    public int batchedMinBytes()
    {
        return Math.max(1, Math.min(fetchMaxBytes, leastPartitionMaxBytes()) / 2);
    }

    public int leastPartitionMaxBytes()
    {
        return partitionMaxBytes == 0 ? FIRST_FETCH_MAX_BYTES : partitionMaxBytes;
    }

    public int partitionMaxBytes(final int maxBytes, final int partitionCount)
    {
        return partitionMaxBytes == 0 ?
            Math.max(FIRST_FETCH_MAX_BYTES, maxBytes / Math.max(1, partitionCount)) : partitionMaxBytes;
    }

    public int mostFetchMaxBytes(final int partitionCount)
    {
        return partitionMaxBytes == 0 ?
            fetchMaxBytes : (int)Math.min(fetchMaxBytes, (long)partitionCount * partitionMaxBytes);
    }

    public static final class Group implements Cloneable
    {
        public static final int FENCE_AFTER_INTERVALS = -1;
        private static final int CLASSIC_HEARTBEAT_INTERVAL_MS = 3_000;

        public final String id;
        public GroupProtocol protocol = GroupProtocol.AUTO;
        /** Null means a random id. */
        public String memberId;
        public String instanceId;
        public String assignor;
        /** The time between two commits in milliseconds; 0 if only the application commits. */
        public int commitIntervalMs = 5_000;
        /** True if acknowledged offsets are committed, false if the offsets of delivered records are committed. */
        public boolean isAcknowledged;
        public int revocationTimeoutMs = 60_000;
        public RevocationHandler revocationHandler = RevocationHandler.AT_ONCE;
        public int fenceAfterMs = FENCE_AFTER_INTERVALS;
        public int heartbeatIntervalMs;
        public int sessionTimeoutMs = 45_000;

        public Group(final String id)
        {
            this.id = id;
        }

        public int classicHeartbeatIntervalMs()
        {
            return heartbeatIntervalMs == 0 ? CLASSIC_HEARTBEAT_INTERVAL_MS : heartbeatIntervalMs;
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
        if (stallThresholdNs < 1)
        {
            throw new IllegalArgumentException("stallThresholdNs is " + stallThresholdNs + ": it must be 1 or more");
        }
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
        final int intervalMs = group.protocol == GroupProtocol.CONSUMER ?
            group.heartbeatIntervalMs : group.classicHeartbeatIntervalMs();
        if (group.fenceAfterMs > 0)
        {
            checkLonger("fenceAfterMs", group.fenceAfterMs, intervalMs, ", or 0");
        }
        if (group.protocol != GroupProtocol.CONSUMER)
        {
            checkLonger("sessionTimeoutMs", group.sessionTimeoutMs, intervalMs, "");
        }
        if (group.protocol == GroupProtocol.CLASSIC && group.fenceAfterMs >= group.sessionTimeoutMs)
        {
            throw new IllegalArgumentException("fenceAfterMs is " + group.fenceAfterMs + ": it must be less than " +
                "sessionTimeoutMs, which is " + group.sessionTimeoutMs + ", or 0, because after the session another " +
                "member may read the partitions");
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
