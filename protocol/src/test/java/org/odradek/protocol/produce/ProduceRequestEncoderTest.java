// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ProduceRequestEncoderTest
{
    private static final byte[] TOPIC = WireWriter.encodeTopic("topic");
    private static final int BEFORE = 3;

    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.PRODUCE);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteTheRequestsOfKafka(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final ProduceRequestData expected = request(version, random);
            final ProduceRequestEncoder encoder = new ProduceRequestEncoder(clientId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[maxLength(encoder, expected)]);

            encoder.begin(buffer, version, expected.acks(), expected.timeoutMs(), expected.topicData().size());
            for (final TopicProduceData topic : expected.topicData())
            {
                encoder.topic(WireWriter.encodeTopic(topic.name()), topic.topicId().getMostSignificantBits(),
                    topic.topicId().getLeastSignificantBits(), topic.partitionData().size());
                for (final PartitionProduceData partition : topic.partitionData())
                {
                    final byte[] batch = ((MemoryRecords) partition.records()).buffer().array();
                    encoder.partition(partition.index(), KafkaFrames.within(batch, BEFORE, 1, 0xFF), BEFORE,
                        batch.length);
                }
            }
            final int length = encoder.end();

            assertEquals(expected, KafkaFrames.request(ApiKey.PRODUCE, version, buffer, length, clientId));
            final byte[] body = MessageUtil.toByteBufferAccessor(expected, (short) version).buffer().array();
            final byte[] ours = new byte[body.length];
            buffer.getBytes(length - body.length, ours);
            assertArrayEquals(body, ours);
        });
    }

    private static int maxLength(final ProduceRequestEncoder encoder, final ProduceRequestData data)
    {
        int length = encoder.maxLength();
        for (final TopicProduceData topic : data.topicData())
        {
            length += ProduceRequestEncoder.maxTopicLength(WireWriter.encodeTopic(topic.name()));
            for (final PartitionProduceData partition : topic.partitionData())
            {
                length += ProduceRequestEncoder.MAX_PARTITION_OVERHEAD + partition.records().sizeInBytes();
            }
        }
        return length;
    }

    private static ProduceRequestData request(final int version, final Random random)
    {
        final ProduceRequestData data = new ProduceRequestData()
            .setAcks(random.nextBoolean() ? ProduceRequestEncoder.ACKS_ALL : ProduceRequestEncoder.ACKS_LEADER)
            .setTimeoutMs(random.nextInt());
        for (int i = Cases.count(random); i >= 0; i--)
        {
            final TopicProduceData topic = new TopicProduceData();
            if (version >= 13)
            {
                topic.setTopicId(Cases.uuid(random));
            }
            else
            {
                topic.setName(Cases.text(random));
            }
            for (int j = random.nextInt(20) == 0 ? 130 : random.nextInt(4); j >= 0; j--)
            {
                final byte[] batch = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 20_000 : 200)];
                random.nextBytes(batch);
                topic.partitionData().add(new PartitionProduceData()
                    .setIndex(random.nextInt()).setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(batch))));
            }
            data.topicData().add(topic);
        }
        return data;
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBuildWithoutAllocating(final int version)
    {
        final ProduceRequestEncoder encoder = new ProduceRequestEncoder("client");
        final UnsafeBuffer batches = new UnsafeBuffer(ByteBuffer.allocateDirect(1_000));
        final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(5_000));

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            encoder.begin(buffer, version, ProduceRequestEncoder.ACKS_ALL, 30_000, 2);
            encoder.topic(TOPIC, 1, 2, 1);
            encoder.partition(0, batches, 0, 500);
            encoder.topic(TOPIC, 3, 4, 2);
            encoder.partition(0, batches, 500, 100);
            encoder.partition(1, batches, 600, 100);
            sink += encoder.end();
            RequestHeaderEncoder.correlationId(buffer, 42);
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final ProduceRequestEncoder encoder = new ProduceRequestEncoder("client");
        final UnsafeBuffer buffer = new UnsafeBuffer(
            new byte[encoder.maxLength() + ProduceRequestEncoder.maxTopicLength(TOPIC)]);

        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 2, (short) 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 14, (short) 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 13, (short) 1, 1, 0));
        encoder.begin(buffer, 13, (short) 1, 1, 1);
        assertThrows(IllegalArgumentException.class, () -> encoder.topic(TOPIC, 1, 2, 0));
        encoder.begin(buffer, 13, (short) 1, 1, 1).topic(TOPIC, 1, 2, 1);
        assertThrows(IndexOutOfBoundsException.class, () -> encoder.partition(0, buffer, 0, buffer.capacity()));
        assertTrue(buffer.capacity() < 100);
    }
}
