// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.odradek.protocol.record.RecordMemory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * Memory that ends in the middle: a mapped file of which the second half has been cut off. A read by address beyond the
 * edge fails with an {@link InternalError}, or ends the JVM in native code, even if the value that was read makes no
 * difference.
 */
final class Cliff
{
    /** A multiple of every page size. */
    static final int EDGE = 1 << 16;

    private static final RecordMemory MEMORY = new RecordMemory(map());

    private Cliff()
    {
    }

    /** @return memory in which the bytes end at the {@link #EDGE}. */
    static RecordMemory with(final byte[] bytes)
    {
        MEMORY.buffer().setMemory(0, EDGE, (byte) 0);
        MEMORY.buffer().putBytes(EDGE - bytes.length, bytes);
        return MEMORY;
    }

    private static ByteBuffer map()
    {
        try
        {
            final Path path = Files.createTempFile("odradek", "cliff");
            try (FileChannel file = FileChannel.open(path, READ, WRITE, DELETE_ON_CLOSE))
            {
                final MappedByteBuffer whole = file.map(FileChannel.MapMode.READ_WRITE, 0, 2L * EDGE);
                file.truncate(EDGE);
                return whole;
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
