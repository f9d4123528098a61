// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class GzipCodecTest
{
    private static final int HEADER_CHECKSUM = 0x02;
    private static final int EXTRA = 0x04;
    private static final int NAME = 0x08;
    private static final int COMMENT = 0x10;
    private static final int ALL_FIELDS = HEADER_CHECKSUM | EXTRA | NAME | COMMENT;
    private static final byte[] CONTENT = Streams.content(new Random(1), 5_000, 2);
    private static final byte[] OTHER = Streams.content(new Random(2), 3_000, 3);

    private final Guarded guarded = new Guarded(100_000, 100_000);

    @Test
    void shouldReadEveryCombinationOfHeaderFields()
    {
        for (int flags = 0; flags <= ALL_FIELDS; flags++)
        {
            assertArrayEquals(CONTENT, decompress(member(flags, CONTENT)), "flags " + flags);
        }
    }

    @Test
    void shouldReadMembersOneAfterTheOther()
    {
        final byte[] stream = Streams.concat(
            member(ALL_FIELDS, CONTENT), member(0, new byte[0]), member(NAME, OTHER), member(EXTRA, CONTENT));

        assertArrayEquals(Streams.concat(CONTENT, OTHER, CONTENT), decompress(stream));
    }

    @Test
    void shouldIgnoreBytesAfterTheLastMemberAsTheStockClientDoes()
    {
        final byte[] member = member(0, CONTENT);
        final byte[] another = member(NAME, OTHER);
        for (final byte[] rest : new byte[][]{{0}, new byte[17], new byte[18], new byte[19], new byte[100], {0x1F},
            {0x1F, (byte) 0x8B, 8, 0}, Arrays.copyOf(another, 13)})
        {
            final byte[] stream = Streams.concat(member, rest);
            assertArrayEquals(CONTENT, Streams.readByStockClient(Streams.GZIP, Streams.MAGIC, stream));
            assertArrayEquals(CONTENT, decompress(stream));
        }
        final byte[] broken = Streams.concat(member, Arrays.copyOf(another, another.length - 20));
        assertArrayEquals(null, Streams.readByStockClient(Streams.GZIP, Streams.MAGIC, broken));
        assertArrayEquals(null, decompress(broken));
    }

    @Test
    void shouldReportWhatIsWrong()
    {
        final byte[] good = member(HEADER_CHECKSUM | NAME, CONTENT);
        final int length = good.length;

        assertRefused("gzip data is too short for a header, at byte 0 of 9", Arrays.copyOf(good, 9));
        assertRefused("gzip data has no magic number 1F 8B, at byte 2 of " + length, flip(good, 1));
        assertRefused("gzip data names a method other than deflate, at byte 3 of " + length, flip(good, 2));
        assertRefused("gzip data ends within a field of its header, at byte 12 of 12",
            Arrays.copyOf(good, 12));
        assertRefused("gzip data has a header whose checksum does not match it, at byte 17 of " + length,
            flip(good, 15));
        assertRefused("gzip data has no valid deflate data (invalid block type) in what begins there, at byte 17 of " +
            length, with(good, 17, 0x07));
        assertRefused("gzip data ends within the deflate data that begins there, at byte 17 of 100",
            Arrays.copyOf(good, 100));
        assertRefused("gzip data ends within its trailer, at byte " + (length - 8) + " of " + (length - 1),
            Arrays.copyOf(good, length - 1));
        final CRC32 crc = new CRC32();
        crc.update(CONTENT);
        assertRefused("gzip data has content with CRC-32 " + crc.getValue() + " where its trailer has another, " +
            "at byte " + (length - 4) + " of " + length, flip(good, length - 8));
        assertRefused("gzip data has content of 5000 bytes where its trailer has another length, at byte " + length +
            " of " + length, flip(good, length - 1));
    }

    private byte[] decompress(final byte[] stream)
    {
        return guarded.decompress(Streams.GZIP, Streams.MAGIC, stream);
    }

    private void assertRefused(final String message, final byte[] stream)
    {
        assertEquals(message, guarded.refusal(Streams.GZIP, Streams.MAGIC, stream));
    }

    private static byte[] flip(final byte[] stream, final int index)
    {
        return with(stream, index, ~stream[index]);
    }

    private static byte[] with(final byte[] stream, final int index, final int value)
    {
        final byte[] changed = stream.clone();
        changed[index] = (byte) value;
        return changed;
    }

    private static byte[] member(final int flags, final byte[] content)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[]{0x1F, (byte) 0x8B, 8, (byte) flags, 1, 2, 3, 4, 0, 3});
        if ((flags & EXTRA) != 0)
        {
            out.writeBytes(new byte[]{0x02, 0x01});
            out.writeBytes(new byte[0x0102]);
        }
        if ((flags & NAME) != 0)
        {
            out.writeBytes("name\0".getBytes(ISO_8859_1));
        }
        if ((flags & COMMENT) != 0)
        {
            out.writeBytes("\0".getBytes(ISO_8859_1));
        }
        final CRC32 crc = new CRC32();
        if ((flags & HEADER_CHECKSUM) != 0)
        {
            crc.update(out.toByteArray());
            out.write((int) crc.getValue());
            out.write((int) crc.getValue() >> 8);
        }
        final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        deflater.setInput(content);
        deflater.finish();
        final byte[] deflated = new byte[content.length + 100];
        out.write(deflated, 0, deflater.deflate(deflated));
        deflater.end();
        crc.reset();
        crc.update(content);
        out.writeBytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue())
            .putInt(content.length).array());
        return out.toByteArray();
    }
}
