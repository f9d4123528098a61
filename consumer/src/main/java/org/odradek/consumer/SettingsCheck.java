// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;

import java.util.Arrays;
import java.util.Map;

/**
 * Refuses settings that cannot work, each in one sentence that names the setting, its value and what it must be.
 */
final class SettingsCheck
{
    private SettingsCheck()
    {
    }

    static void isFirstUse(final boolean isFirst)
    {
        if (!isFirst)
        {
            throw new IllegalStateException("a ConsumerContext serves one consumer: make another");
        }
    }

    static void topic(final String topic)
    {
        if (topic == null || !topic.matches("[a-zA-Z0-9._-]{1,249}") || ".".equals(topic) || "..".equals(topic))
        {
            throw new IllegalArgumentException(
                "topic is '" + topic + "': it must have 1 to 249 letters, digits, dots, underscores or dashes");
        }
    }

    static void partitions(
        final int[] partitions, final PartitionShard shard, final Map<Integer, StartPosition> startPositions)
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
        for (final Map.Entry<Integer, StartPosition> start : startPositions.entrySet())
        {
            final int partition = start.getKey();
            if (partition < 0 || partitions != null && Arrays.binarySearch(sorted, partition) < 0)
            {
                throw new IllegalArgumentException("startPosition is given for partition " + partition +
                    ", which is not among partitions " + Arrays.toString(partitions));
            }
            isSet("startPosition of partition " + partition, start.getValue());
        }
    }

    static void fetches(
        final int maxBytes,
        final int partitionMaxBytes,
        final int minBytes,
        final int requestTimeoutMs,
        final int maxWaitMs,
        final int minIntervalUs)
    {
        isInRange("fetchMaxBytes", maxBytes, 1, 1 << 30);
        isInRange("partitionMaxBytes", partitionMaxBytes, 0, 1 << 30);
        isInRange("fetchMinBytes", minBytes, 0, maxBytes);
        isPositive("requestTimeoutMs", requestTimeoutMs);
        isInRange("fetchMaxWaitMs (must stay below requestTimeoutMs)", maxWaitMs, 0, requestTimeoutMs - 1);
        isInRange("fetchMinIntervalUs", minIntervalUs, 0, 1_000_000);
    }

    static void buffers(
        final int receiveLength,
        final int receiveMaxLength,
        final int decompressionMaxLength,
        final int socketReceiveLength)
    {
        isInRange("receiveBufferMaxLength (must hold fetchMaxBytes, a batch of 1048588 and framing)",
            receiveMaxLength, receiveLength, Integer.MAX_VALUE - 8);
        isInRange("decompressionBufferMaxLength", decompressionMaxLength, BufferLengths.DECOMPRESSION,
            Integer.MAX_VALUE - 8);
        isInRange("socketReceiveBufferLength", socketReceiveLength, 0, Integer.MAX_VALUE);
    }

    static void backoff(final String name, final int firstMs, final int maxMs)
    {
        isPositive(name, firstMs);
        isInRange(name + " at most", maxMs, firstMs, Integer.MAX_VALUE);
    }

    static void transport(final TransportType transport, final Poller poller)
    {
        if (poller != null && transport != null)
        {
            throw new IllegalArgumentException("transport is " + transport +
                " and a poller is given too: the poller has its own, set one of them");
        }
    }

    static void isPositive(final String name, final int value)
    {
        isInRange(name, value, 1, Integer.MAX_VALUE);
    }

    static void isInRange(final String name, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw new IllegalArgumentException(name + " is " + value + ": it must be from " + least + " to " + most);
        }
    }

    static void isSet(final String name, final Object value)
    {
        if (value == null)
        {
            throw new IllegalArgumentException(name + " is null: it must be set");
        }
    }
}
