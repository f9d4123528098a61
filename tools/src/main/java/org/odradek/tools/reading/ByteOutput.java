// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.PrintableText;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A buffer that writes bytes to a stream in large pieces. A reader that has ended ({@code tail | head}) is not an
 * error: from then on all bytes are dropped and {@link #isBroken()} is true. A file has no reader, so what cannot be
 * written to it is missing: {@link #checkFile()}.
 */
final class ByteOutput
{
    private static final int LENGTH = 64 * 1024;
    private static final int LONGEST_NUMBER = 20;
    private static final byte[] HEX_DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final byte[] bytes = new byte[LENGTH];
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final OutputStream out;
    private final boolean isFile;
    private int length;
    private IOException failure;

    /** @param isFile whether bytes are written to a file, for example because the shell has redirected them. */
    ByteOutput(final OutputStream out, final boolean isFile)
    {
        this.out = out;
        this.isFile = isFile;
    }

    void number(final long number)
    {
        if (LENGTH - length < LONGEST_NUMBER)
        {
            flush();
        }
        length += buffer.putLongAscii(length, number);
    }

    void letter(final int letter)
    {
        room(1);
        bytes[length++] = (byte)letter;
    }

    /** Writes the lowest hexadecimal digits of a value. */
    void hex(final int value, final int digits)
    {
        for (int digit = digits - 1; digit >= 0; digit--)
        {
            letter(HEX_DIGITS[value >> 4 * digit & 0xF]);
        }
    }

    void bytes(final byte[] source)
    {
        for (int from = 0; from < source.length; )
        {
            final int size = room(source.length - from);
            System.arraycopy(source, from, bytes, length, size);
            length += size;
            from += size;
        }
    }

    void bytes(final DirectBuffer source, final int index, final int count)
    {
        for (int from = 0; from < count; )
        {
            final int size = room(count - from);
            source.getBytes(index + from, bytes, length, size);
            length += size;
            from += size;
        }
    }

    private int room(final int wanted)
    {
        if (length == LENGTH)
        {
            flush();
        }
        return Math.min(wanted, LENGTH - length);
    }

    boolean isEmpty()
    {
        return length == 0;
    }

    void flush()
    {
        if (length > 0 && failure == null)
        {
            try
            {
                out.write(bytes, 0, length);
                out.flush();
            }
            catch (final IOException ex)
            {
                failure = ex;
            }
        }
        length = 0;
    }

    /** True after a write has failed, mostly because the reader has ended. */
    boolean isBroken()
    {
        return failure != null;
    }

    /** @throws IllegalStateException if bytes could not be written to a file, as when its disk is full. */
    void checkFile()
    {
        if (isFile && failure != null)
        {
            throw new IllegalStateException(
                "Standard output cannot be written: " + PrintableText.of(failure.getMessage()) + ".", failure);
        }
    }
}
