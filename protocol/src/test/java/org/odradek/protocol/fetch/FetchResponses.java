// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.DirectBuffer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.FetchResponseData.SnapshotId;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.NodeEndpointsFlyweight;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random Fetch responses, and a walk that records every value of the flyweight. */
final class FetchResponses
{
    private FetchResponses()
    {
    }

    static FetchResponseData random(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.FETCH.isFlexible(version);
        final FetchResponseData data = new FetchResponseData().setThrottleTimeMs(random.nextInt());
        if (version >= 7)
        {
            data.setErrorCode((short) random.nextInt()).setSessionId(random.nextInt());
        }
        for (int i = random.nextInt(4); i > 0; i--)
        {
            data.responses().add(topic(version, isFlexible, random));
        }
        for (int i = version >= 16 ? random.nextInt(4) : 0; i > 0; i--)
        {
            final NodeEndpoint endpoint = new NodeEndpoint()
                .setNodeId(random.nextInt() & Integer.MAX_VALUE)
                .setHost(Cases.text(random))
                .setPort(random.nextInt())
                .setRack(Cases.textOrNull(random));
            Cases.addUnknownTags(random, true, endpoint.unknownTaggedFields());
            data.nodeEndpoints().add(endpoint);
        }
        Cases.addUnknownTags(random, isFlexible, data.unknownTaggedFields());
        return data;
    }

    private static FetchableTopicResponse topic(final int version, final boolean isFlexible, final Random random)
    {
        final FetchableTopicResponse topic = new FetchableTopicResponse();
        if (version >= 13)
        {
            topic.setTopicId(Cases.uuid(random));
        }
        else
        {
            topic.setTopic(Cases.text(random));
        }
        for (int i = Cases.count(random); i > 0; i--)
        {
            topic.partitions().add(partition(version, isFlexible, random));
        }
        Cases.addUnknownTags(random, isFlexible, topic.unknownTaggedFields());
        return topic;
    }

    private static PartitionData partition(final int version, final boolean isFlexible, final Random random)
    {
        final PartitionData partition = new PartitionData()
            .setPartitionIndex(random.nextInt())
            .setErrorCode((short) random.nextInt())
            .setHighWatermark(random.nextLong())
            .setLastStableOffset(random.nextLong())
            .setLogStartOffset(version >= 5 ? random.nextLong() : -1)
            .setPreferredReadReplica(version >= 11 ? random.nextInt() : -1)
            .setAbortedTransactions(abortedTransactions(isFlexible, random))
            .setRecords(random.nextInt(4) == 0 ? null :
                MemoryRecords.readableRecords(ByteBuffer.wrap(Cases.bytes(random, 300))));
        if (isFlexible && random.nextBoolean())
        {
            partition.setDivergingEpoch(
                new EpochEndOffset().setEpoch(random.nextInt()).setEndOffset(random.nextLong()));
            Cases.addUnknownTags(random, true, partition.divergingEpoch().unknownTaggedFields());
        }
        if (isFlexible && random.nextBoolean())
        {
            partition.setCurrentLeader(
                new LeaderIdAndEpoch().setLeaderId(random.nextInt()).setLeaderEpoch(random.nextInt()));
            Cases.addUnknownTags(random, true, partition.currentLeader().unknownTaggedFields());
        }
        if (isFlexible && random.nextBoolean())
        {
            partition.setSnapshotId(new SnapshotId().setEndOffset(random.nextLong()).setEpoch(random.nextInt()));
        }
        Cases.addUnknownTags(random, isFlexible, partition.unknownTaggedFields());
        return partition;
    }

    private static List<AbortedTransaction> abortedTransactions(final boolean isFlexible, final Random random)
    {
        if (random.nextInt(3) == 0)
        {
            return null;
        }
        final List<AbortedTransaction> aborted = new ArrayList<>();
        for (int i = Cases.count(random); i > 0; i--)
        {
            final AbortedTransaction transaction = new AbortedTransaction()
                .setProducerId(random.nextLong())
                .setFirstOffset(random.nextLong());
            Cases.addUnknownTags(random, isFlexible, transaction.unknownTaggedFields());
            aborted.add(transaction);
        }
        return aborted;
    }

    static void walk(
        final FetchResponseFlyweight flyweight,
        final int version,
        final DirectBuffer buffer,
        final int index,
        final int limit,
        final StringBuilder values)
    {
        flyweight.wrap(buffer, index, limit, version);
        values.append(flyweight.throttleTimeMs()).append(' ').append(flyweight.errorCode()).append(' ')
            .append(flyweight.sessionId()).append('\n');
        while (flyweight.nextPartition())
        {
            values.append(text(buffer, flyweight.topicIndex(), flyweight.topicLength())).append(' ')
                .append(flyweight.topicIdMostSignificantBits()).append(' ')
                .append(flyweight.topicIdLeastSignificantBits()).append(' ')
                .append(flyweight.partition()).append(' ')
                .append(flyweight.partitionErrorCode()).append(' ')
                .append(flyweight.highWatermark()).append(' ')
                .append(flyweight.lastStableOffset()).append(' ')
                .append(flyweight.logStartOffset()).append(' ')
                .append(flyweight.preferredReadReplica()).append(' ')
                .append(flyweight.currentLeaderId()).append(' ')
                .append(flyweight.currentLeaderEpoch()).append(' ')
                .append(text(buffer, flyweight.recordsIndex(), flyweight.recordsLength())).append('\n');
            final AbortedTransactionsFlyweight aborted = new AbortedTransactionsFlyweight().wrap(buffer,
                flyweight.abortedTransactionsIndex(), limit, flyweight.abortedTransactionCount(), version >= 12);
            while (aborted.next())
            {
                values.append(aborted.producerId()).append(' ').append(aborted.firstOffset()).append('\n');
            }
        }
        final NodeEndpointsFlyweight endpoints = flyweight.nodeEndpoints();
        while (endpoints.next())
        {
            values.append(endpoints.nodeId()).append(' ')
                .append(text(buffer, endpoints.hostIndex(), endpoints.hostLength())).append(' ')
                .append(endpoints.port()).append('\n');
        }
    }

    private static String text(final DirectBuffer buffer, final int index, final int length)
    {
        return 0 == length ? "" : buffer.getStringWithoutLengthUtf8(index, length);
    }
}
