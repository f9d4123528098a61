// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the view of a record that a stock producer has sent.
 */
@ExtendWith(SharedBroker.class)
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class RecordViewIT
{
    private static final long TIMESTAMP_MS = 1_700_000_000_123L;

    private final TransportType transport;
    private final List<String> keys = new ArrayList<>();
    private final List<String> values = new ArrayList<>();

    RecordViewIT(final TransportType transport)
    {
        this.transport = transport;
    }

    private static ProducerRecord<byte[], byte[]> record(final String topic, final String key, final String value)
    {
        return new ProducerRecord<>(topic, 0, TIMESTAMP_MS, bytes(key), bytes(value));
    }

    private static byte[] bytes(final String text)
    {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static void send(final List<ProducerRecord<byte[], byte[]>> records)
    {
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(50, "all"))
        {
            records.forEach(producer::send);
        }
    }

    private static String text(final Record record, final int index, final int length)
    {
        return length == Record.NULL_LENGTH ? null : record.buffer().getStringWithoutLengthUtf8(index, length);
    }

    private static String text(final ByteBuffer view)
    {
        return view == null ? null : StandardCharsets.UTF_8.decode(view.duplicate()).toString();
    }

    private void read(final String topic, final int count, final RecordHandler handler)
    {
        final int[] seen = new int[1];
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(transport, topic)))
        {
            Deliveries.pollUntil(consumer,
                (record) ->
                {
                    handler.onRecord(record);
                    seen[0]++;
                }, 3, () -> seen[0] == count);
        }
    }

    // Behaviour G81.
    @Test
    void shouldDistinguishNullFromEmptyAndReturnBothKindsOfView()
    {
        final String topic = SharedBroker.topic(1, 0);
        final List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        final String[] texts = {null, "", "a", "a longer one with \u00e4\u20ac", "x".repeat(70_000)};
        for (final String key : texts)
        {
            for (final String value : texts)
            {
                records.add(record(topic, key, value));
            }
        }
        send(records);

        read(topic, records.size(), (record) ->
        {
            keys.add(text(record, record.keyIndex(), record.keyLength()));
            values.add(text(record, record.valueIndex(), record.valueLength()));
            assertEquals(text(record.keyByteBuffer()), keys.get(keys.size() - 1));
            assertEquals(text(record.valueByteBuffer()), values.get(values.size() - 1));
            if (record.keyLength() >= 0)
            {
                assertSame(record.keyByteBuffer(), record.keyByteBuffer());
            }
        });

        for (int i = 0; i < records.size(); i++)
        {
            assertEquals(text(wrap(records.get(i).key())), keys.get(i));
            assertEquals(text(wrap(records.get(i).value())), values.get(i));
        }
    }

    private static ByteBuffer wrap(final byte[] bytes)
    {
        return bytes == null ? null : ByteBuffer.wrap(bytes);
    }

    // Behaviour G82, tried 2026-11-29: Several headers, duplicate keys, null values, and their order are preserved.
    @Test
    void shouldWalkHeadersAndFindThemByName()
    {
        final String topic = SharedBroker.topic(1, 0);
        final ProducerRecord<byte[], byte[]> sent = record(topic, "key", "value");
        sent.headers().add("trace", bytes("1")).add("empty", bytes("")).add(new RecordHeader("none", (byte[]) null))
            .add("trace", bytes("2"));
        send(List.of(sent, record(topic, null, "bare")));

        final StringBuilder walked = new StringBuilder();
        read(topic, 2, (record) ->
        {
            final RecordHeadersFlyweight headers = record.headers();
            while (headers.next())
            {
                walked.append(text(record, headers.keyIndex(), headers.keyLength())).append('=')
                    .append(text(record, headers.valueIndex(), headers.valueLength())).append(' ');
            }
            walked.append(record.headerCount()).append(';');
            assertEquals(record.offset() == 0, record.headers().next(bytes("none")));
            assertFalse(record.headers().next(bytes("nothing")));
        });
        assertEquals("trace=1 empty= none=null trace=2 4;0;", walked.toString());
    }

    // Behaviour G83, tried 2026-11-29: CreateTime is computed from deltas; LogAppendTime is the batch's maximum
    // timestamp.
    // Behaviour G91, tried 2026-11-29: The leader epoch of a record can be read; it is -1 if there is none.
    @Test
    void shouldReturnTimestampAndLeaderEpoch()
    {
        final String topic = SharedBroker.topic(1, 0);
        send(List.of(record(topic, null, "a"), record(topic, null, "b")));

        read(topic, 2, (record) ->
        {
            assertEquals(TIMESTAMP_MS, record.timestamp());
            assertFalse(record.isLogAppendTime());
            assertEquals(0, record.leaderEpoch());
            assertEquals(0, record.partition());
        });
    }

    // Behaviour G83.
    @Test
    void shouldReturnTheLogAppendTime()
    {
        final String topic = "append-time-" + transport;
        SharedBroker.client().createTopic(topic, 1, Map.of("message.timestamp.type", "LogAppendTime"));
        send(List.of(record(topic, null, null)));

        read(topic, 1, (record) ->
        {
            assertTrue(record.isLogAppendTime());
            assertTrue(record.timestamp() > TIMESTAMP_MS);
            assertNull(record.valueByteBuffer());
        });
    }
}
