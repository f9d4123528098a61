/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.examples;

import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.cluster.Broker;
import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.OffsetRequest;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.kafka.javaapi.PartitionMetadata;
import org.odradek.kafka.javaapi.TopicMetadata;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.javaapi.consumer.SimpleConsumer;
import org.odradek.kafka.message.MessageAndOffset;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A program for the consumer of Kafka 0.8: finds the leader of a partition, reads from its beginning, and finds the new
 * leader when the old one is gone. Put {@code org.odradek.} before its names and it reads from the brokers of today.
 */
public final class SimpleConsumerMigration
{
    private static final int MAX_ERRORS = 300;
    private static final String CLIENT = "simple";

    private List<String> brokers;
    private final String topic;
    private final int partition;
    private final PrintStream out;

    SimpleConsumerMigration(final String seeds, final String topic, final int partition, final PrintStream out)
    {
        brokers = List.of(seeds.split(","));
        this.topic = topic;
        this.partition = partition;
        this.out = out;
    }

    public static void main(final String[] args) throws Exception
    {
        new SimpleConsumerMigration(args[0], args[1], Integer.parseInt(args[2]), System.out)
            .run(Long.parseLong(args[3]));
    }

    void run(final long maxReads) throws Exception
    {
        SimpleConsumer consumer = connect(findLeader());
        long readOffset = offset(consumer, org.odradek.kafka.api.OffsetRequest.EarliestTime());
        long reads = 0;
        int errors = 0;
        while (reads < maxReads && errors < MAX_ERRORS)
        {
            final FetchRequest request = new FetchRequestBuilder().clientId(CLIENT).maxWait(100).minBytes(1)
                .addFetch(topic, partition, readOffset, 100_000).build();
            try
            {
                final FetchResponse response = consumer.fetch(request);
                if (!response.hasError())
                {
                    errors = 0;
                    for (final MessageAndOffset entry : response.messageSet(topic, partition))
                    {
                        if (entry.offset() >= readOffset && reads < maxReads)
                        {
                            print(entry);
                            readOffset = entry.nextOffset();
                            reads++;
                        }
                    }
                    continue;
                }
                if (response.errorCode(topic, partition) == ErrorMapping.OffsetOutOfRangeCode())
                {
                    errors++;
                    readOffset = offset(consumer, org.odradek.kafka.api.OffsetRequest.LatestTime());
                    continue;
                }
            }
            catch (final Exception ex)
            {
                out.println("Lost " + consumer.host() + ":" + consumer.port());
            }
            errors++;
            consumer.close();
            Thread.sleep(1_000);
            consumer = connect(findLeader());
        }
        consumer.close();
    }

    private void print(final MessageAndOffset entry)
    {
        final ByteBuffer payload = entry.message().payload();
        final byte[] bytes = new byte[payload.limit()];
        payload.get(bytes);
        out.println(entry.offset() + ": " + new String(bytes, StandardCharsets.UTF_8));
    }

    private SimpleConsumer connect(final Broker leader)
    {
        return new SimpleConsumer(leader.host(), leader.port(), 10_000, 64 * 1024, CLIENT);
    }

    private long offset(final SimpleConsumer consumer, final long time)
    {
        final OffsetResponse response = consumer.getOffsetsBefore(new OffsetRequest(
            Collections.singletonMap(new TopicAndPartition(topic, partition), new PartitionOffsetRequestInfo(time, 1)),
            org.odradek.kafka.api.OffsetRequest.CurrentVersion(), CLIENT));
        return response.offsets(topic, partition)[0];
    }

    private Broker findLeader() throws InterruptedException
    {
        for (int attempt = 0; attempt < MAX_ERRORS; attempt++)
        {
            for (final String broker : brokers)
            {
                final PartitionMetadata metadata = ask(broker);
                if (metadata != null && metadata.leader() != null)
                {
                    final List<String> replicas = new ArrayList<>();
                    for (final Broker replica : metadata.replicas())
                    {
                        replicas.add(replica.host() + ":" + replica.port());
                    }
                    brokers = replicas;
                    return metadata.leader();
                }
            }
            Thread.sleep(1_000);
        }
        throw new IllegalStateException("No leader of " + topic + " " + partition);
    }

    private PartitionMetadata ask(final String broker)
    {
        final int colon = broker.lastIndexOf(':');
        final SimpleConsumer consumer = new SimpleConsumer(
            broker.substring(0, colon), Integer.parseInt(broker.substring(colon + 1)), 10_000, 64 * 1024, CLIENT);
        try
        {
            for (final TopicMetadata found :
                consumer.send(new TopicMetadataRequest(Collections.singletonList(topic))).topicsMetadata())
            {
                for (final PartitionMetadata metadata : found.partitionsMetadata())
                {
                    if (metadata.partitionId() == partition)
                    {
                        return metadata;
                    }
                }
            }
        }
        catch (final Exception ex)
        {
            out.println("Cannot ask " + broker + ": " + ex.getMessage());
        }
        finally
        {
            consumer.close();
        }
        return null;
    }
}
