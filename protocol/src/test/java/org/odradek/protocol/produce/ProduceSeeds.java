// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;

import java.util.Random;

/** Random responses to producers, built with the message classes of kafka-clients. */
public final class ProduceSeeds
{
    private ProduceSeeds()
    {
    }

    public static ProduceResponseData produce(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.PRODUCE.isFlexible(version);
        final ProduceResponseData data = new ProduceResponseData().setThrottleTimeMs(random.nextInt());
        for (int i = random.nextInt(4); i > 0; i--)
        {
            data.responses().add(topic(version, isFlexible, random));
        }
        for (int i = version >= 10 ? random.nextInt(4) : 0; i > 0; i--)
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

    private static TopicProduceResponse topic(final int version, final boolean isFlexible, final Random random)
    {
        final TopicProduceResponse topic = new TopicProduceResponse();
        if (version >= 13)
        {
            topic.setTopicId(Cases.uuid(random));
        }
        else
        {
            topic.setName(Cases.text(random));
        }
        for (int i = Cases.count(random); i > 0; i--)
        {
            topic.partitionResponses().add(partition(version, isFlexible, random));
        }
        Cases.addUnknownTags(random, isFlexible, topic.unknownTaggedFields());
        return topic;
    }

    private static PartitionProduceResponse partition(
        final int version, final boolean isFlexible, final Random random)
    {
        final PartitionProduceResponse partition = new PartitionProduceResponse()
            .setIndex(random.nextInt())
            .setErrorCode((short) random.nextInt())
            .setBaseOffset(random.nextLong())
            .setLogAppendTimeMs(random.nextLong())
            .setLogStartOffset(version >= 5 ? random.nextLong() : -1);
        if (version >= 8)
        {
            partition.setErrorMessage(Cases.textOrNull(random));
            for (int i = random.nextInt(4); i > 0; i--)
            {
                final BatchIndexAndErrorMessage error = new BatchIndexAndErrorMessage()
                    .setBatchIndex(random.nextInt()).setBatchIndexErrorMessage(Cases.textOrNull(random));
                Cases.addUnknownTags(random, isFlexible, error.unknownTaggedFields());
                partition.recordErrors().add(error);
            }
        }
        if (version >= 10 && random.nextBoolean())
        {
            partition.setCurrentLeader(
                new LeaderIdAndEpoch().setLeaderId(random.nextInt()).setLeaderEpoch(random.nextInt()));
            Cases.addUnknownTags(random, true, partition.currentLeader().unknownTaggedFields());
        }
        Cases.addUnknownTags(random, isFlexible, partition.unknownTaggedFields());
        return partition;
    }

    public static InitProducerIdResponseData initProducerId(final int version, final Random random)
    {
        final boolean isError = random.nextInt(4) == 0;
        final InitProducerIdResponseData data = new InitProducerIdResponseData()
            .setThrottleTimeMs(random.nextInt())
            .setErrorCode((short) (isError ? random.nextInt() | 1 : 0))
            .setProducerId(isError ? random.nextLong() : random.nextLong() >>> 1)
            .setProducerEpoch((short) (isError ? random.nextInt() : random.nextInt(1 << 15)));
        Cases.addUnknownTags(random, ApiKey.INIT_PRODUCER_ID.isFlexible(version), data.unknownTaggedFields());
        return data;
    }
}
