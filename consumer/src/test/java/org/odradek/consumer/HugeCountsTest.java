// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.protocol.WireLimits;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests responses that list so much that reading them would take a thread's time or the JVM's memory. The consumer
 * refuses them or reads them, and goes on.
 */
class HugeCountsTest
{
    /** More than anything here has to allocate, and less than what a quadratic loop copies. */
    private static final long MAX_ALLOCATED = 400L << 20;

    private OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b");

    @AfterEach
    void close()
    {
        broker.close();
    }

    /** Changes the first responses; all later ones are unchanged. */
    private void spoilMetadata(final int times, final Consumer<MetadataResponseData> change)
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            if (calls.getAndIncrement() < times)
            {
                change.accept(metadata);
            }
            return call.answer(metadata);
        });
    }

    private static void addBrokers(final MetadataResponseData metadata, final int count, final int port)
    {
        // Downwards, as no broker names them.
        for (int id = OneTopicBroker.NODE_ID + count; id > OneTopicBroker.NODE_ID; id--)
        {
            OneTopicBroker.addBroker(metadata, id, port);
        }
    }

    private void assertReadsOn(final Reading reading, final String error)
    {
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
        assertTrue(reading.hasError(error) && reading.hasError("from broker -1 (" + broker.address() + ")"),
            () -> reading.errors().toString());
    }

    @Test
    void shouldRefuseMoreBrokersThanAClusterHas()
    {
        spoilMetadata(2, (metadata) -> addBrokers(metadata, 200_000, 1));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            assertReadsOn(reading, ": found a count of 200001, expected at most 10000");
        }
    }

    @Test
    void shouldReadAsManyBrokersAsAClusterMayHave()
    {
        final AllocationMeter meter = new AllocationMeter();
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            addBrokers(metadata, WireLimits.MAX_BROKERS - 1, 1);
            return call.answer(metadata);
        });
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            meter.start();
            reading.untilCount(0, 2);
            reading.until("further metadata", () -> broker.requestCount(ApiMessageType.METADATA) > 5);
            meter.stop();

            assertTrue(meter.allocatedBytes() < MAX_ALLOCATED, () -> meter.allocatedBytes() + " bytes");
            assertEquals(List.of(), reading.errors());
            assertTrue(reading.consumer().describe().contains(" 10006@"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, Integer.MIN_VALUE})
    void shouldRefuseANegativeLeader(final int leaderId)
    {
        spoilMetadata(1, (metadata) ->
            metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(0).setLeaderId(leaderId));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            assertReadsOn(reading, "leader " + leaderId + " of partition 0 where -1 or more was expected");
        }
    }

    @Test
    void shouldRefuseALongClusterId()
    {
        spoilMetadata(1, (metadata) -> metadata.setClusterId("x".repeat(256)));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            assertReadsOn(reading, ": found length 256, expected at most 255");
        }
    }

    /** One partition of a large id would take as much memory as all those before it. */
    @Test
    void shouldRefuseAPartitionFarBeyondTheNumberOfPartitions()
    {
        spoilMetadata(1, (metadata) ->
            metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(0).setPartitionIndex(1_002));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            assertReadsOn(reading, "partition id 1002 where 0 to 1001 was expected");
        }
    }

    @Test
    void shouldReadManyPartitionsOfWhichTheFirstAreMissing()
    {
        final int count = 20_000;
        final AllocationMeter meter = new AllocationMeter();
        spoilMetadata(1, (metadata) ->
        {
            final List<MetadataResponsePartition> partitions =
                metadata.topics().find(OneTopicBroker.TOPIC).partitions();
            for (int p = count; p < 2 * count; p++)
            {
                partitions.add(partitions.get(0).duplicate().setPartitionIndex(p));
            }
        });
        try (Reading reading = Reading.start(Reading.context(broker).partitions(0)))
        {
            meter.start();
            reading.until("metadata", () -> reading.consumer().partitionCount() == 2 * count);
            meter.stop();

            assertTrue(meter.allocatedBytes() < MAX_ALLOCATED, () -> meter.allocatedBytes() + " bytes");
            reading.untilCount(0, 2);
        }
    }

    @Test
    void shouldTakeManyPartitionsThatMetadataDoesNotName()
    {
        try (ScriptedGroup group = new ScriptedGroup())
        {
            final AllocationMeter meter = new AllocationMeter();
            group.startStable();
            group.assign(2, IntStream.range(0, 40_000).toArray());
            meter.start();
            group.untilRequest("owned 2");
            meter.stop();

            assertTrue(meter.allocatedBytes() < MAX_ALLOCATED, () -> meter.allocatedBytes() + " bytes");
        }
    }

    @Test
    void shouldRefuseMoreLeadersThanAClusterHasBrokers()
    {
        broker.append(0, "c");
        final AtomicInteger calls = new AtomicInteger();
        broker.script(0, (requested) -> calls.getAndIncrement() > 0 ? null : OneTopicBroker.error(0, 6)
            .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(8).setLeaderEpoch(OneTopicBroker.LEADER_EPOCH + 1)));
        final AtomicInteger responses = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            final FetchResponseData response = (FetchResponseData)broker.model().usual(call);
            for (int id = 0; id <= WireLimits.MAX_BROKERS && responses.get() == 0; id++)
            {
                response.nodeEndpoints().add(
                    new NodeEndpoint().setNodeId(id).setHost("127.0.0.1").setPort(broker.peer().port()));
            }
            responses.incrementAndGet();
            return call.answer(response);
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.until("the error", () -> reading.hasError("nodeEndpoints at index"));
            assertTrue(reading.hasError("found a count of 10001, expected at most 10000"),
                () -> reading.errors().toString());
            broker.lead(OneTopicBroker.LEADER_EPOCH + 2);
            reading.untilCount(0, 3);
        }
    }

    /** Reads two records of partition 0 in a small JVM, and prints the errors. */
    public static final class SmallReader
    {
        private SmallReader()
        {
        }

        public static void main(final String[] args)
        {
            final ConsumerContext context = Reading.context(args[0], OneTopicBroker.TOPIC)
                .startPosition(StartPosition.offset(0)).errorHandler((error) ->
                    System.out.println(error.getClass().getSimpleName() + " " + error.getMessage()));
            try (TopicConsumer consumer = TopicConsumer.connect(context))
            {
                final int[] count = {0};
                while (count[0] < 2)
                {
                    consumer.poll((record) -> count[0] += record.partition() == 0 ? 1 : 0, 10, 1_000_000);
                }
                // Time for a shortage to be reported again.
                consumer.await(() -> false, TimeUnit.SECONDS.toNanos(1));
            }
            System.out.println("read");
        }
    }

    private List<String> readInSmallJvm()
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(SmallReader.class).startingQuickly().flags("-Xmx64m")
            .args(broker.address()).onStdout(lines::add).start())
        {
            assertEquals(0, process.exitCode(90, TimeUnit.SECONDS), process::outputTail);
        }
        assertEquals("read", lines.get(lines.size() - 1));
        return lines;
    }

    @Test
    void shouldKeepASmallJvmAliveWhenHalfAMillionBrokersAreNamed()
    {
        spoilMetadata(1, (metadata) -> addBrokers(metadata, 500_000, 1));

        final List<String> lines = readInSmallJvm();
        assertTrue(lines.get(0).contains("found a count of 500001, expected at most 10000"), lines::toString);
    }

    /** The buffers of all the leaders do not fit into the JVM's direct memory. */
    @Test
    void shouldKeepASmallJvmAliveWhenEachPartitionHasAnotherLeader()
    {
        final int count = 500;
        broker.close();
        broker = OneTopicBroker.start(count).append(0, "a", "b");
        // A newer broker refuses a client that takes it for another one.
        broker.maxVersion(ApiMessageType.API_VERSIONS, 4);
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            addBrokers(metadata, count, broker.peer().port());
            metadata.topics().find(OneTopicBroker.TOPIC).partitions().forEach(
                (partition) -> partition.setLeaderId(OneTopicBroker.NODE_ID + partition.partitionIndex()));
            return call.answer(metadata);
        });

        final List<String> lines = readInSmallJvm();
        assertEquals(2, lines.size(), lines::toString);
        assertTrue(lines.get(0).startsWith(
            ClientException.class.getSimpleName() + " No direct memory is left for a buffer of "), lines::toString);
    }

    @Test
    void shouldKeepASmallJvmAliveWhenAHugeFrameIsAnnounced()
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) -> calls.getAndIncrement() > 0 ? null :
            Answer.raw(ByteBuffer.allocate(Integer.BYTES).putInt(63 << 20).array()));

        final List<String> lines = readInSmallJvm();
        assertTrue(lines.get(0).contains("No direct memory is left for a buffer of "), lines::toString);
    }
}
