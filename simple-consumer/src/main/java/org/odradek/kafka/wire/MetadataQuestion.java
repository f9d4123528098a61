// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.consumer.net.BrokerConnection;
import org.odradek.kafka.cluster.BrokerEndPoint;
import org.odradek.kafka.javaapi.PartitionMetadata;
import org.odradek.kafka.javaapi.TopicMetadata;
import org.odradek.kafka.javaapi.TopicMetadataResponse;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireReader;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where are the leaders of topics?
 */
final class MetadataQuestion extends Question<TopicMetadataResponse>
{
    private final List<String> topics;

    MetadataQuestion(final String clientId, final List<String> topics)
    {
        super(ApiKey.METADATA, ApiKey.METADATA.maxVersion(), clientId);
        this.topics = topics;
    }

    @Override
    int maxBodyLength()
    {
        int length = 2 * Integer.BYTES;
        for (final String topic : topics)
        {
            length = Math.addExact(length, maxTopicLength(topic, 0, 0));
        }
        return length;
    }

    @Override
    void write(final WireWriter writer, final int version)
    {
        writer.arrayCount(topics.isEmpty() ? WireReader.NULL_LENGTH : topics.size());
        for (final String topic : topics)
        {
            if (version >= 10)
            {
                writer.uuid(0, 0);
            }
            writer.string(WireWriter.encode(topic)).noTags();
        }
        writer.bool(false);
        if (version >= 8 && version <= 10)
        {
            writer.bool(false);
        }
        if (version >= 8)
        {
            writer.bool(false);
        }
        writer.noTags();
    }

    @Override
    TopicMetadataResponse read(final BrokerConnection connection, final int version)
    {
        final MetadataResponseFlyweight response = new MetadataResponseFlyweight().wrap(
            connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), version);
        final Map<Integer, BrokerEndPoint> brokers = new HashMap<>();
        while (response.nextBroker())
        {
            final String host = string(response.buffer(), response.hostIndex(), response.hostLength());
            brokers.put(response.nodeId(), new BrokerEndPoint(response.nodeId(), host, response.port()));
        }
        final List<TopicMetadata> found = new ArrayList<>();
        while (response.nextTopic())
        {
            final String topic = string(response.buffer(), response.topicIndex(), response.topicLength());
            final short errorCode = response.topicErrorCode();
            found.add(new TopicMetadata(topic, partitions(response, brokers), errorCode));
        }
        return new TopicMetadataResponse(found);
    }

    private static List<PartitionMetadata> partitions(
        final MetadataResponseFlyweight response, final Map<Integer, BrokerEndPoint> brokers)
    {
        final List<PartitionMetadata> partitions = new ArrayList<>();
        while (response.nextPartition())
        {
            final List<BrokerEndPoint> replicas = new ArrayList<>();
            for (int i = 0; i < response.replicaCount(); i++)
            {
                addKnown(replicas, brokers.get(response.replica(i)));
            }
            final List<BrokerEndPoint> isr = new ArrayList<>();
            for (int i = 0; i < response.isrCount(); i++)
            {
                addKnown(isr, brokers.get(response.isr(i)));
            }
            partitions.add(new PartitionMetadata(response.partition(), brokers.get(response.leaderId()), replicas, isr,
                response.partitionErrorCode()));
        }
        return partitions;
    }

    private static void addKnown(final List<BrokerEndPoint> list, final BrokerEndPoint broker)
    {
        if (broker != null)
        {
            list.add(broker);
        }
    }
}
