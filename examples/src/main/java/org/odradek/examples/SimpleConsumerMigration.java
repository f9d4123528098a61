// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.cluster.Broker;
import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.OffsetRequest;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.javaapi.consumer.SimpleConsumer;
import org.odradek.kafka.message.MessageAndOffset;

import java.io.PrintStream;
import java.util.Collections;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A program for the consumer of Kafka 0.8. It finds the leader of a partition, reads from the beginning of the log, and
 * finds the new leader when the old one is gone. With {@code org.odradek.} before its imports it reads from today's
 * brokers.
 */
public final class SimpleConsumerMigration
{
    private static final String CLIENT = "simple";

    private final String[] seeds;
    private final String topic;
    private final int partition;
    private final PrintStream out;

    SimpleConsumerMigration(final String seeds, final String topic, final int partition, final PrintStream out)
    {
        this.seeds = seeds.split(",");
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
        SimpleConsumer consumer = findLeader();
        long readOffset = offset(consumer, org.odradek.kafka.api.OffsetRequest.EarliestTime());
        long reads = 0;
        while (reads < maxReads)
        {
            try
            {
                final FetchResponse response = consumer.fetch(new FetchRequestBuilder().clientId(CLIENT)
                    .maxWait(100).minBytes(1).addFetch(topic, partition, readOffset, 100_000).build());
                if (response.errorCode(topic, partition) == ErrorMapping.OffsetOutOfRangeCode())
                {
                    readOffset = offset(consumer, org.odradek.kafka.api.OffsetRequest.LatestTime());
                    continue;
                }
                ErrorMapping.maybeThrowException(response.errorCode(topic, partition));
                for (final MessageAndOffset entry : response.messageSet(topic, partition))
                {
                    if (entry.offset() >= readOffset && reads < maxReads)
                    {
                        out.println(entry.offset() + ": " +
                            (entry.message().isNull() ? "null" : UTF_8.decode(entry.message().payload())));
                        readOffset = entry.nextOffset();
                        reads++;
                    }
                }
            }
            catch (final Exception ex)
            {
                out.println("Lost " + consumer.host() + ":" + consumer.port());
                consumer.close();
                Thread.sleep(500);
                consumer = findLeader();
            }
        }
        consumer.close();
    }

    private long offset(final SimpleConsumer consumer, final long time)
    {
        return consumer.getOffsetsBefore(new OffsetRequest(
            Collections.singletonMap(new TopicAndPartition(topic, partition), new PartitionOffsetRequestInfo(time, 1)),
            org.odradek.kafka.api.OffsetRequest.CurrentVersion(), CLIENT)).offsets(topic, partition)[0];
    }

    private SimpleConsumer findLeader() throws InterruptedException
    {
        for (int attempt = 0; attempt < 300; attempt++)
        {
            final String[] seed = seeds[attempt % seeds.length].split(":");
            final SimpleConsumer consumer = connect(seed[0], Integer.parseInt(seed[1]));
            try
            {
                final Broker leader = consumer.send(new TopicMetadataRequest(Collections.singletonList(topic)))
                    .topicsMetadata().get(0).partitionsMetadata().stream()
                    .filter((found) -> found.partitionId() == partition).findFirst().get().leader();
                return connect(leader.host(), leader.port());
            }
            catch (final Exception ex)
            {
                out.println("No leader known to " + consumer.host() + ":" + consumer.port() + ": " + ex);
            }
            finally
            {
                consumer.close();
            }
            Thread.sleep(500);
        }
        throw new IllegalStateException("No leader of " + topic + " " + partition);
    }

    private static SimpleConsumer connect(final String host, final int port)
    {
        return new SimpleConsumer(host, port, 10_000, 64 * 1024, CLIENT);
    }
}
