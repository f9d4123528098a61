// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.ResponseHeader;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class FetchAllocationTest
{
    private static final int RUNS = 5_000;
    private static final int PARTITIONS = 5;

    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.FETCH);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBuildAndPatchRequestsWithoutAllocating(final int version)
    {
        final FetchRequestEncoder encoder = new FetchRequestEncoder("client", "topic", "rack");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(PARTITIONS, 1)]);
        final int forgottenCount = version >= 7 ? 1 : 0;

        final long allocated = Allocation.bytesOf(RUNS, () ->
        {
            sink += encoder.topicId(1, 2).build(buffer, version, PARTITIONS, forgottenCount);
            RequestHeaderEncoder.correlationId(buffer, 42);
            encoder.limits(7, 1, 1 << 20);
            encoder.session(1, 2);
            for (int slot = 0; slot < PARTITIONS; slot++)
            {
                encoder.entry(slot, slot, 3, sink, 1000);
            }
            for (int slot = 0; slot < forgottenCount; slot++)
            {
                encoder.forgotten(slot, 9);
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesWithoutAllocating(final int version)
    {
        final byte[] frame = KafkaFrames.response(
            ApiKey.FETCH, version, response(version), Cases.unknownTags(new Random(3)));
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);
        final FetchResponseFlyweight flyweight = new FetchResponseFlyweight();
        final AbortedTransactionsFlyweight aborted = new AbortedTransactionsFlyweight();

        final long allocated = Allocation.bytesOf(RUNS, () ->
        {
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition() + flyweight.recordsLength() + flyweight.highWatermark();
                aborted.wrap(buffer, flyweight.abortedTransactionsIndex(), frame.length,
                    flyweight.abortedTransactionCount(), version >= 12);
                while (aborted.next())
                {
                    sink += aborted.producerId();
                }
            }
            final NodeEndpointsFlyweight endpoints = flyweight.nodeEndpoints();
            while (endpoints.next())
            {
                sink += endpoints.nodeId() + endpoints.port();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    private static FetchResponseData response(final int version)
    {
        final FetchableTopicResponse topic = new FetchableTopicResponse();
        for (int i = 0; i < PARTITIONS; i++)
        {
            topic.partitions().add(new PartitionData()
                .setPartitionIndex(i)
                .setHighWatermark(100)
                .setAbortedTransactions(List.of(new AbortedTransaction().setProducerId(5).setFirstOffset(6)))
                .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(new byte[100]))));
        }
        final FetchResponseData data = new FetchResponseData();
        data.responses().add(topic);
        if (version >= 16)
        {
            data.nodeEndpoints().add(new NodeEndpoint().setNodeId(1).setHost("host").setPort(9092));
        }
        return data;
    }
}
