// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.DirectBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The records that the stock consumer has read; ours are compared with them one by one and field by field.
 */
final class ExpectedRecords
{
    private static final int NULL_LEADER_EPOCH = -1;

    private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    private int next;

    void begin()
    {
        records.clear();
        next = 0;
    }

    void addAll(final List<ConsumerRecord<byte[], byte[]>> more)
    {
        records.addAll(more);
    }

    void assertNext(final Record record)
    {
        assertTrue(next < records.size(), () -> "one too many: " + record);
        final ConsumerRecord<byte[], byte[]> expected = records.get(next++);
        assertEquals(expected.offset(), record.offset());
        assertEquals(expected.partition(), record.partition());
        assertEquals(expected.timestamp(), record.timestamp());
        assertEquals(expected.timestampType() == TimestampType.LOG_APPEND_TIME, record.isLogAppendTime());
        assertEquals(expected.leaderEpoch().orElse(NULL_LEADER_EPOCH), record.leaderEpoch());

        assertEquals(expected.serializedKeySize(), record.keyLength());
        assertEquals(wrap(expected.key()), record.keyByteBuffer());
        assertBytes(expected.key(), record.buffer(), record.keyIndex(), record.keyLength());
        assertEquals(expected.serializedValueSize(), record.valueLength());
        assertEquals(wrap(expected.value()), record.valueByteBuffer());
        assertHeaders(expected, record);
    }

    private static void assertHeaders(final ConsumerRecord<byte[], byte[]> expected, final Record record)
    {
        final Header[] expectedHeaders = expected.headers().toArray();
        assertEquals(expectedHeaders.length, record.headerCount());
        final RecordHeadersFlyweight headers = record.headers();
        for (final Header header : expectedHeaders)
        {
            assertTrue(headers.next());
            final byte[] key = header.key().getBytes(StandardCharsets.UTF_8);
            assertBytes(key, record.buffer(), headers.keyIndex(), headers.keyLength());
            assertBytes(header.value(), record.buffer(), headers.valueIndex(), headers.valueLength());
        }
        assertFalse(headers.next());
        for (final Header header : expectedHeaders)
        {
            assertByName(expected, header.key(), record);
        }
    }

    /** All of the headers with one name, in their order. */
    private static void assertByName(
        final ConsumerRecord<byte[], byte[]> expected, final String name, final Record record)
    {
        final byte[] key = name.getBytes(StandardCharsets.UTF_8);
        final RecordHeadersFlyweight headers = record.headers();
        for (final Header header : expected.headers().headers(name))
        {
            assertTrue(headers.next(key));
            assertBytes(header.value(), record.buffer(), headers.valueIndex(), headers.valueLength());
        }
        assertFalse(headers.next(key));
    }

    private static ByteBuffer wrap(final byte[] bytes)
    {
        return bytes == null ? null : ByteBuffer.wrap(bytes);
    }

    private static void assertBytes(
        final byte[] expected, final DirectBuffer buffer, final int index, final int length)
    {
        final byte[] found = length == Record.NULL_LENGTH ? null : new byte[length];
        if (found != null)
        {
            buffer.getBytes(index, found);
        }
        assertArrayEquals(expected, found);
    }

    void assertEnd()
    {
        assertEquals(records.size(), next, () -> "missing, from " + records.get(next));
    }
}
