// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.types.LongValue;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;
import org.odradek.harness.ScriptedPeer;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Finds the first offset of a partition to which another producer writes between two lookups. */
class PartitionDiscoveryTest
{
    private static final String TOPIC = "t";
    private static final long END = 500;
    private static final long LATER_END = 901;

    private ScriptedPeer peer;
    private boolean isWritten;

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessage response = switch (frame.type())
        {
            case API_VERSIONS -> RequestFrame.versions(ApiMessageType.METADATA, ApiMessageType.API_VERSIONS,
                ApiMessageType.LIST_OFFSETS, ApiMessageType.FETCH);
            case LIST_OFFSETS -> offset(
                ((ListOffsetsRequestData)frame.message()).topics().get(0).partitions().get(0).timestamp());
            default -> metadata();
        };
        return frame.answer(response);
    }

    private MetadataResponseData metadata()
    {
        final MetadataResponseData response = new MetadataResponseData();
        response.brokers().add(new MetadataResponseBroker().setNodeId(1).setHost("127.0.0.1").setPort(peer.port()));
        response.topics().add(new MetadataResponseTopic().setName(TOPIC).setTopicId(Uuid.randomUuid()).setPartitions(
            List.of(new MetadataResponsePartition().setLeaderId(1).setLeaderEpoch(1))));
        return response;
    }

    /** No record has the timestamp until one is written, just after it was asked for. */
    private ListOffsetsResponseData offset(final long timestamp)
    {
        final long end = isWritten ? LATER_END : END;
        isWritten |= timestamp >= 0;
        return new ListOffsetsResponseData().setTopics(List.of(new ListOffsetsTopicResponse().setName(TOPIC)
            .setPartitions(List.of(new ListOffsetsPartitionResponse().setOffset(timestamp >= 0 ? -1 : end)))));
    }

    @Test
    void shouldNotSkipARecordThatIsWrittenWhileItsTimestampIsLookedUp()
    {
        try (ScriptedPeer started = ScriptedPeer.start(this::onRequest))
        {
            peer = started;
            final OdradekSource<LongValue> source = OdradekSource.<LongValue>builder()
                .bootstrapServers("127.0.0.1:" + peer.port())
                .topic(TOPIC)
                .deserializer(new LongDeserializer())
                .startingOffsets(SourceOffsets.timestamp(1))
                .build();

            assertEquals(List.of(new PartitionSplit(TOPIC, 0, END, PartitionSplit.NO_END)),
                new PartitionDiscovery(source).find(0));
        }
    }
}
