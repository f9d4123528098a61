// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.protocol.record.StoredBatch;
import org.odradek.protocol.record.ViewLifetime;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that views which a handler keeps fail when used, with the property set that turns this check on.
 */
class ViewLifetimesTest
{
    /** Methods of the cursor, which a handler cannot call. */
    private static final Set<String> OF_CURSOR = Set.of("next", "stepBack", "flaw");
    private static final int P = 3;
    private static final long BASE_OFFSET = 40;
    private static final byte[] HEADER_KEY = "trace".getBytes(UTF_8);

    private final ReaderFixture fixture = new ReaderFixture(P + 1, 1 << 16);
    private final FetchReader reader = fixture.reader(false);

    @BeforeEach
    void shouldBeChecked()
    {
        assertTrue(ViewLifetime.IS_CHECKED, "run with -D" + ViewLifetime.CHECK_PROP_NAME + "=true");
    }

    @AfterEach
    void free()
    {
        fixture.free();
    }

    private void open(final int magic, final CompressionType codec, final int count)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 14), (byte) magic,
            Compression.of(codec).build(), magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.CREATE_TIME,
            BASE_OFFSET))
        {
            for (int i = 0; i < count; i++)
            {
                final Header[] headers = {new RecordHeader("trace", bytes("header", i)), new RecordHeader("no", null)};
                builder.appendWithOffset(BASE_OFFSET + i, magic == 0 ? -1 : 1_000 + i, bytes("key", i),
                    bytes("value", i), magic == 2 ? headers : new Header[0]);
            }
            fixture.begin();
            fixture.append(builder.build());
        }
        fixture.entry(P, BASE_OFFSET, 0, fixture.filled());
        reader.open(fixture.fetcher);
    }

    private static byte[] bytes(final String name, final int number)
    {
        return (name + " " + number).getBytes(UTF_8);
    }

    private static String text(final DirectBuffer buffer, final int index, final int length)
    {
        return buffer.getStringWithoutLengthUtf8(index, length);
    }

    private static void assertEnded(final Object view, final String what)
    {
        int count = 0;
        for (final Method method : view.getClass().getMethods())
        {
            if (method.getDeclaringClass() != Object.class && method.getParameterCount() == 0 &&
                !Modifier.isStatic(method.getModifiers()) && !OF_CURSOR.contains(method.getName()))
            {
                final Throwable thrown =
                    assertThrows(InvocationTargetException.class, () -> method.invoke(view), method.getName())
                        .getCause();
                assertInstanceOf(IllegalStateException.class, thrown, method.getName());
                assertEquals(what + " was used after its callback had returned: what is kept must be copied before.",
                    thrown.getMessage());
                count++;
            }
        }
        assertTrue(count >= 4, "accessors of " + view.getClass());
        if (view instanceof final Record record)
        {
            assertThrows(IllegalStateException.class, () -> record.valueInt(0, BIG_ENDIAN));
            assertThrows(IllegalStateException.class, () -> record.valueLong(0, BIG_ENDIAN));
        }
    }

    @ParameterizedTest
    @CsvSource({"2, NONE", "2, ZSTD", "1, NONE", "1, GZIP", "0, NONE"})
    void shouldRefuseARecordAfterItsCallback(final int magic, final CompressionType codec)
    {
        open(magic, codec, 3);
        final List<Record> kept = new ArrayList<>();
        final List<RecordHeadersFlyweight> keptHeaders = new ArrayList<>();
        reader.deliverRecordsTo((record) ->
        {
            final int number = kept.size();
            assertEquals(P, record.partition());
            assertEquals(BASE_OFFSET + number, record.offset());
            assertEquals(magic == 0 ? -1 : 1_000 + number, record.timestamp());
            assertEquals("key " + number, text(record.buffer(), record.keyIndex(), record.keyLength()));
            assertEquals(ByteBuffer.wrap(bytes("value", number)), record.valueByteBuffer());
            final RecordHeadersFlyweight headers = record.headers();
            assertEquals(magic == 2, headers.next(HEADER_KEY));
            if (magic == 2)
            {
                assertEquals("header " + number, text(record.buffer(), headers.valueIndex(), headers.valueLength()));
                assertEquals(2, record.headerCount());
            }
            if (number > 0)
            {
                assertNotSame(kept.get(number - 1), record);
                assertEnded(kept.get(number - 1), "The record at offset " + (record.offset() - 1) + " of partition 3");
            }
            kept.add(record);
            keptHeaders.add(headers);
            return Action.CONTINUE;
        });
        assertEquals(3, reader.poll(10) + reader.poll(10));
        assertEquals(List.of(), fixture.errors);
        for (int i = 0; i < kept.size(); i++)
        {
            final String what = "The record at offset " + (BASE_OFFSET + i) + " of partition 3";
            assertEnded(kept.get(i), what);
            final RecordHeadersFlyweight headers = keptHeaders.get(i);
            assertEnded(headers, what);
            assertThrows(IllegalStateException.class, headers::next);
            assertThrows(IllegalStateException.class, () -> headers.next(HEADER_KEY));
        }
    }

    @Test
    void shouldLeaveNothingInBuffersThatWereKept()
    {
        open(2, CompressionType.NONE, 2);
        final List<DirectBuffer> buffers = new ArrayList<>();
        final List<UnsafeBuffer> wrapped = new ArrayList<>();
        final List<ByteBuffer> views = new ArrayList<>();
        final List<ByteBuffer> copiesOfViews = new ArrayList<>();
        reader.deliverRecordsTo((record) ->
        {
            buffers.add(record.buffer());
            wrapped.add(new UnsafeBuffer(record.buffer(), record.valueIndex(), record.valueLength()));
            views.add(record.keyByteBuffer());
            views.add(record.valueByteBuffer());
            copiesOfViews.add(record.valueByteBuffer().slice());
            return Action.CONTINUE;
        });
        assertEquals(2, reader.poll(2));

        buffers.forEach((buffer) -> assertThrows(IndexOutOfBoundsException.class, () -> buffer.getByte(0)));
        views.forEach((view) -> assertThrows(IndexOutOfBoundsException.class, () -> view.get(0)));
        final byte[] poison = new byte["value 0".length()];
        Arrays.fill(poison, RecordMemory.POISON);
        wrapped.forEach((buffer) -> assertEquals(new UnsafeBuffer(poison), buffer));
        copiesOfViews.forEach((view) -> assertEquals(ByteBuffer.wrap(poison), view));
    }

    @ParameterizedTest
    @CsvSource({"2, NONE", "2, LZ4", "1, GZIP"})
    void shouldRefuseABatchAfterItsCallback(final int magic, final CompressionType codec)
    {
        open(magic, codec, 3);
        final List<StoredBatch> kept = new ArrayList<>();
        final List<ByteBuffer> views = new ArrayList<>();
        final byte[] bytes = new byte[fixture.filled()];
        fixture.memory.buffer().getBytes(0, bytes);
        reader.deliverBatchesTo((batch) ->
        {
            assertEquals(BASE_OFFSET, batch.baseOffset());
            assertEquals(BASE_OFFSET + 2, batch.lastOffset());
            assertEquals(3, batch.recordCount());
            assertEquals(magic, batch.magic());
            assertEquals(codec.id, batch.compressionType());
            assertEquals(ByteBuffer.wrap(bytes), batch.byteBuffer());
            kept.add(batch);
            views.add(batch.byteBuffer());
            return Action.CONTINUE;
        });
        assertEquals(1, reader.poll(10));
        assertEquals(List.of(), fixture.errors);
        assertEnded(kept.get(0), "The batch at offsets 40 to 42 of partition 3");
        assertThrows(IndexOutOfBoundsException.class, () -> views.get(0).get(0));
    }

    @Test
    void shouldLendARefusedRecordAgain()
    {
        open(2, CompressionType.NONE, 1);
        final List<Record> kept = new ArrayList<>();
        reader.deliverRecordsTo((record) ->
        {
            assertEquals("value 0", text(record.buffer(), record.valueIndex(), record.valueLength()));
            kept.add(record);
            return kept.size() < 3 ? Action.ABORT : Action.CONTINUE;
        });
        assertEquals(List.of(0, 0, 1), List.of(reader.poll(1), reader.poll(1), reader.poll(1)));
        kept.forEach((record) -> assertEnded(record, "The record at offset 40 of partition 3"));
    }

    @Test
    void shouldEndARecordWhoseHandlerFails()
    {
        open(2, CompressionType.NONE, 1);
        final List<Record> kept = new ArrayList<>();
        reader.deliverRecordsTo((record) ->
        {
            kept.add(record);
            throw new IllegalArgumentException("planted");
        });
        assertEquals(0, reader.poll(1));
        assertNotNull(fixture.errors.get(0).getCause());
        assertEnded(kept.get(0), "The record at offset 40 of partition 3");
    }
}
