// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.consumer.core.BufferLengths;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;
import org.odradek.consumer.security.SecuritySettings;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The values of the settings that {@link ConsumerContext} documents. Setters and Kafka's properties write them; null or
 * 0 means that {@link #fillIn()} derives the value. Settings that cannot work are refused, each in one sentence that
 * names the setting, its value and what it must be.
 */
final class ConsumerSettings
{
    String bootstrapServers;
    String topic;
    int[] partitions;
    PartitionShard shard;
    GroupSettings group;
    boolean isAutoCommit;
    StartPosition startPosition = StartPosition.latest();
    final Map<Integer, StartPosition> startPositions = new HashMap<>();
    OffsetResetPolicy offsetResetPolicy = OffsetResetPolicy.fail();
    String clientId = "odradek";
    String clientRack = "";
    FetchSessionMode fetchSession = FetchSessionMode.AUTO;
    int fetchMaxBytes = ConsumerConfiguration.fetchMaxBytes();
    int partitionMaxBytes;
    int fetchMinBytes = ConsumerConfiguration.fetchMinBytes();
    int fetchMaxWaitMs = ConsumerConfiguration.fetchMaxWaitMs();
    int latencyBudgetMs;
    boolean checkCrcs = true;
    CorruptBatchPolicy corruptBatchPolicy = CorruptBatchPolicy.STOP;
    IsolationLevel isolationLevel = IsolationLevel.READ_UNCOMMITTED;
    int receiveBufferMaxLength = ConsumerConfiguration.receiveBufferMaxLength();
    int decompressionBufferMaxLength = 64 * 1024 * 1024;
    int socketReceiveBufferLength;
    int connectTimeoutMs = 10_000;
    int requestTimeoutMs = 30_000;
    int reconnectBackoffMs = 50;
    int reconnectBackoffMaxMs = 1_000;
    int retryBackoffMs = 100;
    int retryBackoffMaxMs = 1_000;
    int metadataMaxAgeMs = 300_000;
    int rebootstrapTriggerMs = 300_000;
    int expectedLeaders = 3;
    SecuritySettings security = SecuritySettings.plaintext();
    TransportType transport;
    Poller poller;
    NameResolver nameResolver = NameResolver.SYSTEM;
    NanoClock nanoClock;
    EpochClock epochClock = SystemEpochClock.INSTANCE;
    RandomGenerator random = new SplittableRandom();
    StatusSettings status = new StatusSettings();
    FetchFrameHandler frameHandler;
    ConsumerListener listener = ConsumerListener.NONE;
    ErrorHandler errorHandler;

    void check()
    {
        BootstrapServers.check("bootstrapServers", bootstrapServers);
        checkTopic();
        checkPartitions();
        checkGroup();
        isInRange("fetchMaxBytes", fetchMaxBytes, 1, 1 << 30);
        isInRange("partitionMaxBytes", partitionMaxBytes, 0, 1 << 30);
        isInRange("fetchMinBytes", fetchMinBytes, 0, fetchMaxBytes);
        isPositive("requestTimeoutMs", requestTimeoutMs);
        isInRange("fetchMaxWaitMs (must stay below requestTimeoutMs)", fetchMaxWaitMs, 0, requestTimeoutMs - 1);
        checkLatencyBudget();
        isInRange("receiveBufferMaxLength (must hold fetchMaxBytes, a batch of 1048588 and framing)",
            receiveBufferMaxLength, BufferLengths.receive(fetchMaxBytes, partitionCount()), Integer.MAX_VALUE - 8);
        isInRange("decompressionBufferMaxLength",
            decompressionBufferMaxLength, BufferLengths.DECOMPRESSION, Integer.MAX_VALUE - 8);
        isInRange("socketReceiveBufferLength", socketReceiveBufferLength, 0, Integer.MAX_VALUE);
        isPositive("connectTimeoutMs", connectTimeoutMs);
        isPositive("reconnectBackoffMs", reconnectBackoffMs);
        isInRange("reconnectBackoffMs at most", reconnectBackoffMaxMs, reconnectBackoffMs, Integer.MAX_VALUE);
        isPositive("retryBackoffMs", retryBackoffMs);
        isInRange("retryBackoffMs at most", retryBackoffMaxMs, retryBackoffMs, Integer.MAX_VALUE);
        isPositive("metadataMaxAgeMs", metadataMaxAgeMs);
        isPositive("rebootstrapTriggerMs", rebootstrapTriggerMs);
        isInRange("expectedLeaders", expectedLeaders, 1, 100_000);
        isSet("startPosition", startPosition);
        isSet("offsetResetPolicy", offsetResetPolicy);
        isSet("clientId", clientId);
        isSet("clientRack", clientRack);
        isSet("fetchSession", fetchSession);
        isSet("isolationLevel", isolationLevel);
        isSet("corruptBatchPolicy", corruptBatchPolicy);
        isSet("nameResolver", nameResolver);
        isSet("epochClock", epochClock);
        isSet("random", random);
        isSet("listener", listener);
        isSet("security", security);
        security.check();
        if (poller != null && transport != null)
        {
            throw new IllegalArgumentException("transport is " + transport +
                " and a poller is given too: the poller has its own, set one of them");
        }
        isSet("status", status);
        status.check();
    }

    private void checkLatencyBudget()
    {
        isInRange("latencyBudgetMs (must not exceed fetchMaxWaitMs)", latencyBudgetMs, 0, fetchMaxWaitMs);
        if (latencyBudgetMs > 0 && fetchMinBytes > 1)
        {
            throw new IllegalArgumentException("latencyBudgetMs is " + latencyBudgetMs + " and fetchMinBytes is " +
                fetchMinBytes + ": both make the broker wait, so set only one of them");
        }
    }

    private void checkTopic()
    {
        if (topic == null || !topic.matches("[a-zA-Z0-9._-]{1,249}") || ".".equals(topic) || "..".equals(topic))
        {
            throw new IllegalArgumentException(
                "topic is '" + topic + "': it must have 1 to 249 letters, digits, dots, underscores or dashes");
        }
    }

    private void checkPartitions()
    {
        if (partitions != null && shard != null)
        {
            throw new IllegalArgumentException(
                "partitions is " + Arrays.toString(partitions) + " and a " + shard + " is given too: set one of them");
        }
        final int[] sorted = partitions == null ? new int[0] : partitions.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++)
        {
            if (sorted[i] < 0 || i > 0 && sorted[i] == sorted[i - 1])
            {
                throw new IllegalArgumentException(
                    "partitions has " + sorted[i] + ": each must be 0 or more, and be given once");
            }
        }
        startPositions.forEach((partition, start) ->
        {
            if (partition < 0 || partitions != null && Arrays.binarySearch(sorted, partition) < 0)
            {
                throw new IllegalArgumentException("startPosition is given for partition " + partition +
                    ", which is not among partitions " + Arrays.toString(partitions));
            }
            isSet("startPosition of partition " + partition, start);
        });
    }

    private void checkGroup()
    {
        if (group == null && isAutoCommit)
        {
            throw new IllegalArgumentException("enable.auto.commit is true, and no group is given: it must be false, " +
                "because offsets are committed automatically only in a group: join it with GroupSettings.from, call " +
                "groupOffsets(group).commit, or keep offsets in an OffsetFile");
        }
        if (group != null)
        {
            group.check();
            if (partitions != null || shard != null)
            {
                throw new IllegalArgumentException(
                    (shard == null ? "partitions is " + Arrays.toString(partitions) : "a " + shard + " is set") +
                    " and a " + group + " is given too: the brokers assign the partitions of a group, set one of them");
            }
        }
    }

    private static void isPositive(final String name, final int value)
    {
        isInRange(name, value, 1, Integer.MAX_VALUE);
    }

    private static void isInRange(final String name, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw new IllegalArgumentException(name + " is " + value + ": it must be from " + least + " to " + most);
        }
    }

    private static void isSet(final String name, final Object value)
    {
        if (value == null)
        {
            throw new IllegalArgumentException(name + " is null: it must be set");
        }
    }

    /** Sets what was left open. */
    void fillIn()
    {
        if (transport == null && poller == null)
        {
            transport = ConsumerConfiguration.transport();
        }
        if (partitionMaxBytes == 0)
        {
            partitionMaxBytes = fetchMaxBytes;
        }
        if (nanoClock == null)
        {
            nanoClock = SystemNanoClock.INSTANCE;
        }
        if (group != null)
        {
            startPosition = committedOr(startPosition);
            startPositions.replaceAll((partition, position) -> committedOr(position));
        }
        if (errorHandler == null)
        {
            errorHandler = (error) -> System.err.println("odradek: " + error.getMessage());
        }
    }

    private StartPosition committedOr(final StartPosition position)
    {
        return group.groupId().equals(position.groupId()) ? position :
            StartPosition.committed(group.groupId(), position);
    }

    /** The number of partitions, as far as it is known before the cluster has answered. */
    int partitionCount()
    {
        return partitions == null ? 0 : partitions.length;
    }

    /** The number of groups whose committed offsets partitions begin at; each has a connection of its own. */
    int groupCount()
    {
        final Set<String> groupIds = new HashSet<>();
        startPosition.addGroupsTo(groupIds);
        startPositions.values().forEach((position) -> position.addGroupsTo(groupIds));
        return groupIds.size();
    }

    boolean isReadCommitted()
    {
        return isolationLevel == IsolationLevel.READ_COMMITTED;
    }
}
