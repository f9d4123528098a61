// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.util.Arrays;
import java.util.Map;

/**
 * Refuses settings that cannot work, each in one sentence that names the setting, its value and what would be right.
 */
final class SettingsCheck
{
    private final ConsumerContext context;

    SettingsCheck(final ConsumerContext context)
    {
        this.context = context;
    }

    void check()
    {
        BootstrapServers.check("bootstrapServers", context.bootstrapServers);
        checkTopic();
        checkPartitions();
        checkNumbers();
        requireSet("startPosition", context.startPosition);
        requireSet("offsetResetPolicy", context.offsetResetPolicy);
        requireSet("clientId", context.clientId);
        requireSet("clientRack", context.clientRack);
        requireSet("fetchSession", context.fetchSession);
        requireSet("isolationLevel", context.isolationLevel);
        requireSet("corruptBatchPolicy", context.corruptBatchPolicy);
        requireSet("nameResolver", context.nameResolver);
        requireSet("listener", context.listener);
        if (context.poller != null && context.transport != null)
        {
            throw new IllegalArgumentException("transport is " + context.transport +
                " and a poller is given too: the poller has its own, set one of them");
        }
        requireSet("status", context.status);
        context.status.check();
    }

    private void checkTopic()
    {
        final String topic = context.topic;
        if (topic == null || !topic.matches("[a-zA-Z0-9._-]{1,249}") || ".".equals(topic) || "..".equals(topic))
        {
            throw new IllegalArgumentException(
                "topic is '" + topic + "': it must have 1 to 249 letters, digits, dots, underscores or dashes");
        }
    }

    private void checkPartitions()
    {
        if (context.partitions != null && context.shard != null)
        {
            throw new IllegalArgumentException("partitions is " + Arrays.toString(context.partitions) + " and a " +
                context.shard + " is given too: set one of them");
        }
        if (context.partitions != null)
        {
            final int[] sorted = context.partitions.clone();
            Arrays.sort(sorted);
            for (int i = 0; i < sorted.length; i++)
            {
                if (sorted[i] < 0 || i > 0 && sorted[i] == sorted[i - 1])
                {
                    throw new IllegalArgumentException("partitions has " + sorted[i] +
                        ": each must be 0 or more, and be given once");
                }
            }
        }
        for (final Map.Entry<Integer, StartPosition> start : context.startPositions.entrySet())
        {
            final int partition = start.getKey();
            if (partition < 0 ||
                context.partitions != null && Arrays.stream(context.partitions).noneMatch((p) -> p == partition))
            {
                throw new IllegalArgumentException("startPosition is given for partition " + partition +
                    ", which is not among partitions " + Arrays.toString(context.partitions));
            }
            requireSet("startPosition of partition " + partition, start.getValue());
        }
    }

    private void checkNumbers()
    {
        final ConsumerContext c = context;
        requireRange("fetchMaxBytes", c.fetchMaxBytes, 1, 1 << 30);
        requireRange("partitionMaxBytes", c.partitionMaxBytes, 0, 1 << 30);
        requireRange("fetchMinBytes", c.fetchMinBytes, 0, c.fetchMaxBytes);
        requireRange("requestTimeoutMs", c.requestTimeoutMs, 1, Integer.MAX_VALUE);
        requireRange("fetchMaxWaitMs (must stay below requestTimeoutMs)", c.fetchMaxWaitMs, 0, c.requestTimeoutMs - 1);
        requireRange("fetchMinIntervalUs", c.fetchMinIntervalUs, 0, 1_000_000);
        requireRange("receiveBufferMaxLength (must hold fetchMaxBytes, a batch of 1048588 and framing)",
            c.receiveBufferMaxLength, DerivedSettings.receiveBufferLength(c), Integer.MAX_VALUE - 8);
        requireRange("decompressionBufferMaxLength", c.decompressionBufferMaxLength,
            DerivedSettings.DECOMPRESSION_BUFFER_LENGTH, Integer.MAX_VALUE - 8);
        requireRange("socketReceiveBufferLength", c.socketReceiveBufferLength, 0, Integer.MAX_VALUE);
        requireRange("connectTimeoutMs", c.connectTimeoutMs, 1, Integer.MAX_VALUE);
        requireRange("reconnectBackoffMs", c.reconnectBackoffMs, 1, Integer.MAX_VALUE);
        requireRange("reconnectBackoffMs at most", c.reconnectBackoffMaxMs, c.reconnectBackoffMs, Integer.MAX_VALUE);
        requireRange("retryBackoffMs", c.retryBackoffMs, 1, Integer.MAX_VALUE);
        requireRange("retryBackoffMs at most", c.retryBackoffMaxMs, c.retryBackoffMs, Integer.MAX_VALUE);
        requireRange("metadataMaxAgeMs", c.metadataMaxAgeMs, 1, Integer.MAX_VALUE);
        requireRange("rebootstrapTriggerMs", c.rebootstrapTriggerMs, 1, Integer.MAX_VALUE);
        requireRange("expectedLeaders", c.expectedLeaders, 1, 100_000);
    }

    private static void requireRange(final String name, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw new IllegalArgumentException(name + " is " + value + ": it must be from " + least + " to " + most);
        }
    }

    private static void requireSet(final String name, final Object value)
    {
        if (value == null)
        {
            throw new IllegalArgumentException(name + " is null: it must be set");
        }
    }
}
