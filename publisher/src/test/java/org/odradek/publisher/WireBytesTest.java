// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.compression.Decompressor;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The bytes that are sent, compared with those of kafka-clients, and bytes of a hostile broker. */
class WireBytesTest
{
    private static final int BATCHES = 150;
    private static final int BATCH_LENGTH = 64 * 1024;
    private static final int THROTTLE_FROM_END = 5;
    private static final long NOW_MS = 1_700_000_000_000L;

    /** Random keys, values, timestamps and headers, nulls among them, by offers and by claims. */
    // Behaviour Q214, tried 2026-11-29: Batches have the same bytes as those of Kafka's producer; compressed batches
    // have the same bytes after decompression.
    @Test
    void shouldSendTheBytesOfKafka()
    {
        final Random random = new Random(43);
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            int sequence = 0;
            for (int i = 0; i < BATCHES; i++)
            {
                final List<SimpleRecord> records = new ArrayList<>();
                final int count = 1 + random.nextInt(20);
                while (records.size() < count)
                {
                    records.add(new SimpleRecord(random.nextInt(8) == 0 ? random.nextLong() >>> 1 :
                        NOW_MS + random.nextInt(2_000) - 1_000, bytes(random), bytes(random), headers(random)));
                }
                records.forEach((record) -> publish(client.topic(), record, random.nextBoolean()));
                client.acknowledge();

                assertArrayEquals(kafkas(records, sequence), broker.sent.get(i).bytes());
                sequence += count;
            }
        }
    }

    /** The same bytes after decompression; sometimes one record, which does not become shorter. */
    // Behaviour Q214.
    @ParameterizedTest
    @EnumSource(value = org.odradek.publisher.Compression.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldCompressTheBytesOfKafka(final org.odradek.publisher.Compression compression)
    {
        final Random random = new Random(44);
        int compressedCount = 0;
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).compression(compression), ProducingBroker.TOPIC);
            Decompressor decompressor = new Decompressor(BATCH_LENGTH, BATCH_LENGTH))
        {
            int sequence = 0;
            for (int i = 0; i < BATCHES; i++)
            {
                final List<SimpleRecord> records = new ArrayList<>();
                final int count = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(50);
                while (records.size() < count)
                {
                    records.add(new SimpleRecord(NOW_MS + records.size(), bytes(random),
                        "a value that resembles the next one".getBytes(), headers(random)));
                }
                records.forEach((record) -> publish(client.topic(), record, random.nextBoolean()));
                client.acknowledge();

                final byte[] sent = broker.sent.get(i).bytes();
                final byte[] expected = kafkas(records, sequence);
                final int codec = sent[RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET + 1];
                assertTrue(codec == 0 || codec == compression.codec);
                compressedCount += codec == 0 ? 0 : 1;
                assertTrue(codec == 0 || sent.length < expected.length);
                assertArrayEquals(expected, codec == 0 ? sent : decompressed(sent, expected, codec, decompressor));
                sequence += count;
            }
            assertTrue(client.counter(PublisherCounters.BYTES_BATCHED) > 0);
        }
        assertTrue(compressedCount > BATCHES / 2, "batches compressed: " + compressedCount);
    }

    /** The batch with its records decompressed, and the three fields that differ because of that as expected. */
    private static byte[] decompressed(
        final byte[] sent, final byte[] expected, final int codec, final Decompressor decompressor)
    {
        final int header = RecordBatchFlyweight.HEADER_LENGTH;
        final int length = decompressor.decompress(codec, RecordBatchFlyweight.MAGIC_V2,
            ByteBuffer.allocateDirect(sent.length).put(0, sent), header, sent.length - header);
        final byte[] batch = Arrays.copyOf(sent, header + length);
        decompressor.output().get(0, batch, header, length);
        System.arraycopy(expected, RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET, batch,
            RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET, Integer.BYTES);
        System.arraycopy(expected, RecordBatchFlyweight.CRC_FIELD_OFFSET, batch,
            RecordBatchFlyweight.CRC_FIELD_OFFSET, Integer.BYTES + Short.BYTES);
        return batch;
    }

    private static void publish(final TopicPublisher topic, final SimpleRecord record, final boolean isClaim)
    {
        final UnsafeBuffer key = record.key() == null ? null : new UnsafeBuffer(record.key());
        final UnsafeBuffer value = record.value() == null ? null : new UnsafeBuffer(record.value());
        final RecordHeaders headers = new RecordHeaders();
        for (final Header header : record.headers())
        {
            headers.add(header.key(), header.value());
        }
        if (!isClaim)
        {
            assertTrue(topic.offer(0, record.timestamp(), key, value, headers) > 0);
            return;
        }
        assertTrue(topic.tryClaim(0, record.timestamp(), key == null ? TopicPublisher.NULL_LENGTH : key.capacity(),
            value == null ? TopicPublisher.NULL_LENGTH : value.capacity(), headers.count(), headers.length()) > 0);
        if (key != null)
        {
            topic.claim().key().putBytes(0, key, 0, key.capacity());
        }
        if (value != null)
        {
            topic.claim().value().putBytes(0, value, 0, value.capacity());
        }
        for (final Header header : record.headers())
        {
            topic.claim().header(new UnsafeBuffer(header.key().getBytes()),
                header.value() == null ? null : new UnsafeBuffer(header.value()));
        }
        topic.claim().commit();
    }

    private static byte[] bytes(final Random random)
    {
        final byte[] bytes = new byte[random.nextInt(5) == 0 ? random.nextInt(1_000) : random.nextInt(70)];
        random.nextBytes(bytes);
        return random.nextInt(4) == 0 ? null : bytes;
    }

    private static Header[] headers(final Random random)
    {
        final Header[] headers = new Header[Math.max(0, random.nextInt(6) - 3)];
        for (int i = 0; i < headers.length; i++)
        {
            headers[i] = new RecordHeader("header " + "x".repeat(random.nextInt(80)), bytes(random));
        }
        return headers;
    }

    private static byte[] kafkas(final List<SimpleRecord> records, final int sequence)
    {
        final MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(BATCH_LENGTH),
            RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE, TimestampType.CREATE_TIME, 0, NOW_MS,
            ProducingBroker.PRODUCER_ID, (short)0, sequence);
        records.forEach(builder::append);
        final ByteBuffer buffer = builder.build().buffer();
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Every byte of a response flipped, and every prefix: none is believed to be more than it can be. */
    // Behaviour Q229, tried 2026-11-29: An incomplete or impossible response to Produce or InitProducerId is refused.
    // After a flipped byte in such a response, publishing continues. A response with very many elements is refused, or
    // read without allocation.
    @ParameterizedTest
    @ValueSource(ints = {3, 13})
    void shouldSurviveEveryBrokenResponse(final int version)
    {
        try (ProducingBroker broker = ProducingBroker.start(1, version); Publishing client = Publishing.start(broker))
        {
            int length = 1;
            for (int i = 0; i < length; i++)
            {
                if (i >= length - THROTTLE_FROM_END && i < length - 1 && length > 1)
                {
                    // With a throttle time the client would send nothing for two minutes.
                    continue;
                }
                final int[] bodyLength = new int[1];
                breakByte(broker, i, bodyLength);
                client.offer(0, "a" + i);
                client.workUntil(() -> bodyLength[0] > 0);
                length = bodyLength[0];
                if (!client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS))
                {
                    // An error code was made of it.
                    assertTrue(client.topic().isStopped(0));
                    client.topic().skipFailed(0);
                }
            }
            client.offer(0, "last");
            client.acknowledge();
            assertTrue(length > 20);
        }
    }

    private static void breakByte(final ProducingBroker broker, final int index, final int[] bodyLength)
    {
        broker.script((call, response) ->
        {
            final byte[] body = call.body(response);
            body[index] ^= (byte)0xFF;
            bodyLength[0] = body.length;
            return Answer.reply(body);
        });
    }

    // Behaviour Q229.
    @Test
    void shouldSurviveEveryCutResponse()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final Function<Integer, Integer> cut = (length) ->
            {
                final int[] bodyLength = new int[1];
                broker.script((call, response) -> cut(call, response, length, bodyLength));
                client.offer(0, "a");
                client.acknowledge();
                return bodyLength[0];
            };
            final int whole = cut.apply(0);
            for (int length = 1; length < whole; length++)
            {
                cut.apply(length);
            }
            assertEquals(whole, client.topic().acknowledgedPosition(0));
            assertEquals(whole, client.errors.size());
            // Nothing of a response that is cut is applied: each batch is sent twice.
            assertEquals(2 * whole, broker.sent.size());
            for (int i = 0; i < whole; i++)
            {
                assertArrayEquals(broker.sent.get(2 * i).bytes(), broker.sent.get(2 * i + 1).bytes());
            }
        }
    }

    private static Answer cut(
        final ModelPeer.Call call, final ProduceResponseData response, final int length, final int[] bodyLength)
    {
        final byte[] body = call.body(response);
        bodyLength[0] = body.length;
        return Answer.reply(Arrays.copyOf(body, length));
    }

    // Behaviour Q229.
    @Test
    void shouldRefuseAnImpossibleOffset()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.script((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().get(0).setBaseOffset(-5));
                return call.answer(response);
            });
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(2, broker.sent.size());
            assertTrue(client.errors.get(0).contains("base offset -5"), client.errors::toString);
        }
    }

    @Test
    void shouldIgnorePartitionsThatWereNotSentAndRepeatedOnes()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            broker.script((call, response) ->
            {
                response.responses().forEach((topic) ->
                {
                    final ProduceResponseData.PartitionProduceResponse answer = topic.partitionResponses().get(0);
                    for (final int partition : new int[] {1, -7, 1 << 30, 0, 0})
                    {
                        topic.partitionResponses().add(answer.duplicate().setIndex(partition));
                    }
                });
                return call.answer(response);
            });
            client.offer(0, "a");
            client.acknowledge();
            client.offer(1, "b");
            client.acknowledge();

            assertEquals(List.of("acknowledged 0: 1+1", "acknowledged 1: 1+1"), client.events);
        }
    }
}
