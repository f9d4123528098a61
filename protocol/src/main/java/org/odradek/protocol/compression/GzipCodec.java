// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip as Java's own reader does: several members one after the other, each with its checksum and length
 * verified. Bytes after the last member that are not the header of another one are ignored.
 * <pre>
 *  1F 8B 08 | flags | time, extra flags, system: 6 bytes
 *    | FEXTRA: length uint16, bytes | FNAME: text, 0 | FCOMMENT: text, 0 | FHCRC: low half of the header's CRC-32
 *    | deflate data | CRC-32 of the content | length of the content, both little endian
 * </pre>
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc1952">RFC 1952</a>
 */
final class GzipCodec implements Codec
{
    private static final int MAGIC_FIRST = 0x1F;
    private static final int MAGIC_SECOND = 0x8B;
    private static final int DEFLATE = 8;
    private static final int FIXED_HEADER_LENGTH = 10;
    private static final int AFTER_FLAGS_LENGTH = 6;
    private static final int TRAILER_LENGTH = 8;

    private static final int HEADER_CHECKSUM_FLAG = 0x02;
    private static final int EXTRA_FLAG = 0x04;
    private static final int NAME_FLAG = 0x08;
    private static final int COMMENT_FLAG = 0x10;

    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();

    @Override
    public int decompress(final CompressedInput input, final OutputBuffer output, final int magic)
    {
        final CodecFlaw flaw = readHeader(input);
        if (null != flaw)
        {
            throw input.flaw(flaw);
        }
        int length = 0;
        do
        {
            length = readMember(input, output, length);
        }
        while (null == readHeader(input));
        return length;
    }

    @Override
    public void close()
    {
        inflater.end();
    }

    private int readMember(final CompressedInput input, final OutputBuffer output, final int startLength)
    {
        final int length = inflate(input, output, startLength);
        if (input.remaining() < TRAILER_LENGTH)
        {
            throw input.flaw(CodecFlaw.GZIP_TRAILER);
        }
        crc.reset();
        crc.update(output.range(startLength, length - startLength));
        if (input.nextIntLittleEndian() != (int)crc.getValue())
        {
            throw input.flaw(CodecFlaw.GZIP_CHECKSUM, crc.getValue());
        }
        if (input.nextIntLittleEndian() != length - startLength)
        {
            throw input.flaw(CodecFlaw.GZIP_CONTENT_LENGTH, length - startLength);
        }
        return length;
    }

    private int inflate(final CompressedInput input, final OutputBuffer output, final int startLength)
    {
        inflater.reset();
        inflater.setInput(input.range(input.index(), input.remaining()));
        int length = startLength;
        while (!inflater.finished())
        {
            final ByteBuffer room = output.range(length, output.capacity() - length);
            final int inflated = inflate(input, room);
            length += inflated;
            if (0 == inflated && !inflater.finished())
            {
                if (room.hasRemaining())
                {
                    throw input.flaw(CodecFlaw.GZIP_DATA_END);
                }
                output.grow(length);
            }
        }
        input.skip(input.remaining() - inflater.getRemaining());
        return length;
    }

    private int inflate(final CompressedInput input, final ByteBuffer room)
    {
        try
        {
            return inflater.inflate(room);
        }
        catch (final DataFormatException ex)
        {
            throw input.flaw(CodecFlaw.GZIP_DATA, ex.getMessage());
        }
    }

    /** @return what is wrong with the header, or null. */
    private CodecFlaw readHeader(final CompressedInput input)
    {
        if (input.remaining() < FIXED_HEADER_LENGTH)
        {
            return CodecFlaw.GZIP_LENGTH;
        }
        final int startIndex = input.index();
        if (input.nextByte() != MAGIC_FIRST || input.nextByte() != MAGIC_SECOND)
        {
            return CodecFlaw.GZIP_MAGIC;
        }
        if (input.nextByte() != DEFLATE)
        {
            return CodecFlaw.GZIP_METHOD;
        }
        final int flags = input.nextByte();
        input.skip(AFTER_FLAGS_LENGTH);
        final boolean isWhole = ((flags & EXTRA_FLAG) == 0 || skipExtra(input)) &&
            ((flags & NAME_FLAG) == 0 || skipText(input)) &&
            ((flags & COMMENT_FLAG) == 0 || skipText(input));
        if (!isWhole || (flags & HEADER_CHECKSUM_FLAG) != 0 && input.remaining() < Short.BYTES)
        {
            return CodecFlaw.GZIP_FIELD;
        }
        if ((flags & HEADER_CHECKSUM_FLAG) != 0)
        {
            crc.reset();
            crc.update(input.range(startIndex, input.index() - startIndex));
            if (input.nextShortLittleEndian() != (crc.getValue() & 0xFFFF))
            {
                return CodecFlaw.GZIP_HEADER_CHECKSUM;
            }
        }
        return null;
    }

    private static boolean skipExtra(final CompressedInput input)
    {
        if (input.remaining() < Short.BYTES)
        {
            return false;
        }
        final int length = input.nextShortLittleEndian();
        if (input.remaining() < length)
        {
            return false;
        }
        input.skip(length);
        return true;
    }

    private static boolean skipText(final CompressedInput input)
    {
        while (input.remaining() > 0)
        {
            if (input.nextByte() == 0)
            {
                return true;
            }
        }
        return false;
    }
}
