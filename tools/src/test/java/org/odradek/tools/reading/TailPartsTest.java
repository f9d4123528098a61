// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TailPartsTest
{
    @ParameterizedTest
    @CsvSource({"earliest, EARLIEST, 0", "latest, LATEST, 0", "end, LATEST, 0", "0, OFFSET, 0", "77, OFFSET, 77",
        "-5, BEFORE_END, 5", "-0, BEFORE_END, 0", "@1700000000000, TIME, 1700000000000",
        "1970-01-01T00:00:02.500Z, TIME, 2500"})
    void shouldParsePositions(final String text, final PartitionPosition.Kind kind, final long value)
    {
        assertEquals(new PartitionPosition(kind, value), PartitionPosition.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "begin", "@", "@x", "1.5", "2026-11-21", "99999999999999999999", "@-1"})
    void shouldRefuseTextThatIsNotAPosition(final String text)
    {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> PartitionPosition.parse(text)).getMessage()
            .startsWith("'" + text + "' is not a position in a partition: "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"%x", "%", "\\q", "a\\", "%s %"})
    void shouldRefuseUnknownPlaceholders(final String format)
    {
        assertTrue(assertThrows(IllegalArgumentException.class,
            () -> new RecordFormat(format, "t", false, ValueType.TEXT, ValueType.TEXT)).getMessage()
            .contains("is unknown; known are "));
    }

    @ParameterizedTest
    @CsvSource({"HEX, 00ff1b, 00ff1b", "INT, fffffffe, -2", "INT, fffe, fffe", "LONG, 0000000100000000, 4294967296",
        "LONG, '', ''", "DOUBLE, 3ff8000000000000, 1.5", "DOUBLE, 3ff8, 3ff8"})
    void shouldWriteBinaryValues(final ValueType type, final String hex, final String expected)
    {
        final ByteArrayOutputStream sink = new ByteArrayOutputStream();
        final ByteOutput out = new ByteOutput(sink, false);
        final byte[] bytes = HexFormat.of().parseHex("aa" + hex + "bb");

        type.write(new UnsafeBuffer(bytes), 1, bytes.length - 2, out);
        out.flush();

        assertEquals(expected, sink.toString(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldWriteMoreThanItsBufferHolds()
    {
        final ByteArrayOutputStream sink = new ByteArrayOutputStream();
        final ByteOutput out = new ByteOutput(sink, false);
        final byte[] large = "x".repeat(200_000).getBytes(StandardCharsets.US_ASCII);

        out.number(Long.MIN_VALUE);
        out.bytes(large);
        out.bytes(new UnsafeBuffer(large), 5, large.length - 5);
        out.number(42);
        out.flush();

        assertEquals(Long.MIN_VALUE + "x".repeat(399_995) + "42", sink.toString(StandardCharsets.US_ASCII));
        assertTrue(out.isEmpty());
        assertFalse(out.isBroken());
    }

    /** Fails to write. */
    private static OutputStream failing(final String message)
    {
        return new OutputStream()
        {
            @Override
            public void write(final int value) throws IOException
            {
                throw new IOException(message);
            }
        };
    }

    @Test
    void shouldDropEverythingAfterTheReaderHasEnded()
    {
        final ByteOutput out = new ByteOutput(failing("Broken pipe"), false);

        out.number(1);
        assertFalse(out.isBroken());
        out.flush();
        assertTrue(out.isBroken());
        out.bytes(new byte[200_000]);
        assertTrue(out.isBroken());
        out.checkFile();
    }

    @Test
    void shouldNotTakeAFullDiskForAReaderThatHasEnded()
    {
        final ByteOutput out = new ByteOutput(failing("No space left on device"), true);
        out.checkFile();
        out.number(1);
        out.flush();

        assertEquals("Standard output cannot be written: No space left on device.",
            assertThrows(IllegalStateException.class, out::checkFile).getMessage());
    }
}
