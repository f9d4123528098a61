// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.protocol.Cases;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecordFlyweightTest
{
    /** HotSpot's default of FreqInlineSize. */
    private static final int MAX_INLINED_LENGTH = 325;
    private static final int RECORDS_INDEX = RecordBatchFlyweight.HEADER_LENGTH;

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private RecordMemory memory;

    private void wrap(final byte[] bytes)
    {
        memory = RecordBatches.memory(bytes);
        assertEquals(RecordBatchFlyweight.COMPLETE, batch.wrap(memory, 0, bytes.length));
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 4);
    }

    // Behaviour G81, tried 2026-11-29: Null and empty keys and values are distinguished.
    @Test
    void shouldDistinguishNullFromEmpty()
    {
        wrap(RecordBatches.single(null, new byte[0]));
        assertTrue(record.next());
        assertEquals(Record.NULL_LENGTH, record.keyLength());
        assertNull(record.keyByteBuffer());
        assertEquals(0, record.valueLength());
        assertEquals(0, record.valueByteBuffer().remaining());

        wrap(RecordBatches.single(new byte[0], null));
        assertTrue(record.next());
        assertEquals(0, record.keyLength());
        assertEquals(0, record.keyByteBuffer().remaining());
        assertEquals(Record.NULL_LENGTH, record.valueLength());
        assertNull(record.valueByteBuffer());
    }

    /** A record with enough bytes after it is decoded on the fast path. */
    // Behaviour G81.
    @Test
    void shouldDistinguishNullFromEmptyBeforeALongRecord()
    {
        wrap(RecordBatches.of(null, new byte[0], new byte[100]));
        assertTrue(record.next());
        assertEquals(Record.NULL_LENGTH, record.keyLength());
        assertEquals(Record.NULL_LENGTH, record.valueLength());
        assertNull(record.valueByteBuffer());
        assertTrue(record.next());
        assertEquals(0, record.valueLength());
        assertEquals(0, record.valueByteBuffer().remaining());
    }

    @Test
    void shouldShareOneViewForAllKeysAndOneForAllValues()
    {
        wrap(RecordBatches.of("one".getBytes(StandardCharsets.UTF_8), "three".getBytes(StandardCharsets.UTF_8)));
        assertTrue(record.next());
        final ByteBuffer view = record.valueByteBuffer();
        assertEquals("one", StandardCharsets.UTF_8.decode(view.duplicate()).toString());
        assertTrue(record.next());
        assertSame(view, record.valueByteBuffer());
        assertEquals("three", StandardCharsets.UTF_8.decode(view.duplicate()).toString());
    }

    /** As every new buffer, and as with -Dorg.odradek.check.view.lifetimes. */
    @Test
    void shouldBeginEachViewInBigEndian()
    {
        wrap(RecordBatches.of("one".getBytes(StandardCharsets.UTF_8), "three".getBytes(StandardCharsets.UTF_8)));
        assertTrue(record.next());
        record.valueByteBuffer().order(LITTLE_ENDIAN);
        assertTrue(record.next());
        assertEquals(BIG_ENDIAN, record.valueByteBuffer().order());

        wrap(RecordBatches.single(new byte[8], null));
        assertTrue(record.next());
        record.keyByteBuffer().order(LITTLE_ENDIAN);
        assertEquals(BIG_ENDIAN, record.keyByteBuffer().order());
    }

    @Test
    void shouldReadNumbersOfAValueInEitherOrder()
    {
        wrap(RecordBatches.single(null, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}));
        assertTrue(record.next());

        assertEquals(0x0102030405060708L, record.valueLong(0, BIG_ENDIAN));
        assertEquals(0x0908070605040302L, record.valueLong(1, LITTLE_ENDIAN));
        assertEquals(0x06070809, record.valueInt(5, BIG_ENDIAN));
        assertEquals(0x04030201, record.valueInt(0, LITTLE_ENDIAN));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -8, -1, 2, 6, 9, 10, Integer.MAX_VALUE - 7, Integer.MAX_VALUE})
    void shouldReadNoNumberBeyondAValue(final int at)
    {
        wrap(RecordBatches.of(new byte[9], null, new byte[3]));
        assertTrue(record.next());
        assertTrue(assertThrows(IndexOutOfBoundsException.class, () -> record.valueLong(at, BIG_ENDIAN)).getMessage()
            .contains("Cannot read 8 bytes at " + at + " of a value of 9 bytes."));
        if (at != 2)
        {
            assertThrows(IndexOutOfBoundsException.class, () -> record.valueInt(at, BIG_ENDIAN));
        }

        assertTrue(record.next());
        assertThrows(IndexOutOfBoundsException.class, () -> record.valueInt(at, BIG_ENDIAN));
        assertThrows(IndexOutOfBoundsException.class, () -> record.valueInt(0, BIG_ENDIAN));
        assertTrue(record.next());
        assertThrows(IndexOutOfBoundsException.class, () -> record.valueLong(0, BIG_ENDIAN));
    }

    @Test
    void shouldFindHeadersByName()
    {
        wrap(RecordBatches.single(null, null, new RecordHeader("a", bytes("1")), new RecordHeader("bb", null),
            new RecordHeader("a", bytes("")), new RecordHeader("ab", bytes("4"))));
        assertTrue(record.next());
        final byte[] a = bytes("a");
        final RecordHeadersFlyweight headers = record.headers();

        assertTrue(headers.next(a));
        assertEquals("1", record.buffer().getStringWithoutLengthUtf8(headers.valueIndex(), headers.valueLength()));
        assertTrue(headers.next(a));
        assertEquals(0, headers.valueLength());
        assertFalse(headers.next(a));

        assertSame(headers, record.headers());
        assertTrue(headers.next(bytes("bb")));
        assertEquals(Record.NULL_LENGTH, headers.valueLength());
        assertFalse(headers.next(bytes("bb")));
        assertFalse(record.headers().next(bytes("b")));
    }

    @Test
    void shouldReturnARecordAgainAfterSteppingBack()
    {
        Cases.forEach(0, (random) ->
        {
            wrap(RecordBatches.random(random));
            final StringBuilder once = new StringBuilder();
            while (record.next())
            {
                once.append(record).append(record.valueIndex());
            }
            record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 4);
            final StringBuilder again = new StringBuilder();
            while (record.next())
            {
                final String text = record.toString();
                for (int i = random.nextInt(3); i > 0; i--)
                {
                    record.stepBack();
                    assertTrue(record.next());
                    assertEquals(text, record.toString());
                }
                again.append(record).append(record.valueIndex());
            }
            assertNull(record.flaw());
            assertNotEquals(0, once.length());
            assertEquals(once.toString(), again.toString());
            memory.free();
        });
    }

    @Test
    void shouldStepBackWithoutDecodingTheRecordsBefore()
    {
        wrap(RecordBatches.of(new byte[9], new byte[9], new byte[9], new byte[9]));
        assertTrue(record.next() && record.next() && record.next());
        final int index = record.valueIndex();
        memory.buffer().setMemory(batch.recordsIndex(), index - batch.recordsIndex(), (byte) 0x7F);
        for (int i = 0; i < 3; i++)
        {
            record.stepBack();
            record.stepBack();
            assertTrue(record.next());
            assertEquals(2, record.offset() - batch.baseOffset());
            assertEquals(index, record.valueIndex());
        }

        assertTrue(record.next());
        record.stepBack();
        assertTrue(record.next());
        assertFalse(record.next());
        assertNull(record.flaw());
    }

    @Test
    void shouldBeSmallEnoughToBeInlined()
    {
        final StringWriter code = new StringWriter();
        final ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
        assertEquals(0, javap.run(new PrintWriter(code), new PrintWriter(code), "-c", "-p",
            RecordFlyweight.class.getResource("RecordFlyweight.class").toString()), code::toString);

        final String text = code.toString();
        final String method = text.substring(text.indexOf("public boolean next();"));
        final Matcher last = Pattern.compile("(\\d+): ireturn\\R\\R").matcher(method);
        assertTrue(last.find());
        final int length = Integer.parseInt(last.group(1)) + 1;
        assertTrue(length > 200 && length <= MAX_INLINED_LENGTH, "next() has " + length + " bytes of bytecode");
    }

    private void assertFlaw(final String what)
    {
        assertFalse(record.next());
        assertEquals(what + ", at byte 0 of the records, 1 records before the end of the batch", record.flaw());
    }

    /** Changes one byte of a record with a key and a value of 20 bytes each: index, new value, what is found. */
    // Behaviour G80, tried 2026-11-29: Wrong lengths of keys, values and headers are errors.
    @ParameterizedTest
    @CsvSource({
        "0, 0, record length 0 where at least 6 was expected and at most 46 fits",
        "0, 1, record length -1 where at least 6 was expected and at most 46 fits",
        "0, 10, record length 5 where at least 6 was expected and at most 46 fits",
        "0, 126, record length 63 where at least 6 was expected and at most 46 fits",
        "3, 1, offset delta -1 where at least 0 was expected and at most 0 fits",
        "3, 2, offset delta 1 where at least 0 was expected and at most 0 fits",
        "4, 3, key length -2 where at least -1 was expected and at most 42 fits",
        "4, 126, key length 63 where at least -1 was expected and at most 42 fits",
        "25, 3, value length -2 where at least -1 was expected and at most 21 fits",
        "25, 126, value length 63 where at least -1 was expected and at most 21 fits",
        "25, 38, header count -64 where at least 0 was expected and at most 1 fits",
        "46, 1, header count -1 where at least 0 was expected and at most 0 fits",
        "46, 2, header count 1 where at least 0 was expected and at most 0 fits"})
    void shouldDescribeAnImpossibleLength(final int index, final byte value, final String flaw)
    {
        wrap(RecordBatches.single(new byte[20], bytes("\u007f".repeat(20))));
        memory.buffer().putByte(RECORDS_INDEX + index, value);

        assertFlaw(flaw);
    }

    /** The same record with a varint that is longer than its type, or than the record. */
    // Behaviour A14.
    @ParameterizedTest
    @CsvSource({"0, 5, record length", "2, 10, timestamp delta", "2, 45, timestamp delta", "3, 5, offset delta",
        "4, 5, key length", "25, 5, value length", "46, 1, header count"})
    void shouldNameTheFieldThatDoesNotEnd(final int index, final int length, final String field)
    {
        wrap(RecordBatches.single(new byte[20], bytes("\u007f".repeat(20))));
        memory.buffer().setMemory(RECORDS_INDEX + index, length, (byte) 0x80);

        assertFlaw(field + " whose varint has no end");
    }

    @ParameterizedTest
    @CsvSource({"0, -1", "0, 0", "3, 3"})
    void shouldSayWhichOffsetDeltasMayFollow(final int first, final int second)
    {
        wrap(RecordBatches.of(new byte[3], new byte[3]));
        memory.buffer().putInt(RecordBatchFlyweight.LAST_OFFSET_DELTA_FIELD_OFFSET, 9, BIG_ENDIAN);
        memory.buffer().putByte(RECORDS_INDEX + 3, (byte) (first << 1));
        memory.buffer().putByte(RECORDS_INDEX + 10 + 3, (byte) (second << 1 ^ second >> 31));
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 4);

        assertTrue(record.next());
        assertFalse(record.next());
        assertEquals("offset delta " + second + " where at least " + (first + 1) + " was expected and at most 9 fits" +
            ", at byte 10 of the records, 1 records before the end of the batch", record.flaw());
    }

    // Behaviour G80.
    @ParameterizedTest
    @CsvSource({"7, 1, that is negative or does not fit", "7, 6, whose varint has no end",
        "9, 4, that is negative or does not fit", "9, 3, that is negative or does not fit"})
    void shouldDescribeAnImpossibleHeader(final int index, final byte length, final String flaw)
    {
        wrap(RecordBatches.single(null, null, new RecordHeader("a", bytes("1"))));
        memory.buffer().putByte(RECORDS_INDEX + index, length);

        assertFlaw("length in header 0 of 1 " + flaw);
    }

    // Behaviour G77.
    @Test
    void shouldNoticeBytesAfterTheLastRecord()
    {
        wrap(RecordBatches.of(new byte[3], new byte[3]));
        memory.buffer().putInt(RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET, 1, BIG_ENDIAN);
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 4);

        assertTrue(record.next());
        assertFalse(record.next());
        assertEquals("bytes after the last record: 10, at byte 10 of the records, " +
            "0 records before the end of the batch", record.flaw());
    }

    // Behaviour G77.
    @Test
    void shouldNoticeThatARecordIsMissing()
    {
        wrap(RecordBatches.of(new byte[3], new byte[3]));
        memory.buffer().putInt(RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET, 3, BIG_ENDIAN);
        record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 4);

        assertTrue(record.next());
        assertTrue(record.next());
        assertFalse(record.next());
        assertTrue(record.flaw().startsWith("record length"), record.flaw());
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
