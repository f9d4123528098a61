// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.network.TransferableChannel;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Takes a request of kafka-clients as the channel of a socket would, and knows its header.
 */
final class RequestBytes implements TransferableChannel
{
    private static final int LENGTH = 64 * 1024;
    private static final int API_KEY_INDEX = 4;
    private static final int VERSION_INDEX = 6;
    private static final int CORRELATION_ID_INDEX = 8;

    private final ByteBuffer bytes = ByteBuffer.allocate(LENGTH);

    void clear()
    {
        bytes.clear();
    }

    short apiKey()
    {
        return bytes.getShort(API_KEY_INDEX);
    }

    short version()
    {
        return bytes.getShort(VERSION_INDEX);
    }

    int correlationId()
    {
        return bytes.getInt(CORRELATION_ID_INDEX);
    }

    @Override
    public int write(final ByteBuffer source)
    {
        final int length = source.remaining();
        bytes.put(source);
        return length;
    }

    @Override
    public long write(final ByteBuffer[] sources, final int from, final int count)
    {
        long length = 0;
        for (int i = from; i < from + count; i++)
        {
            length += write(sources[i]);
        }
        return length;
    }

    @Override
    public long write(final ByteBuffer[] sources)
    {
        return write(sources, 0, sources.length);
    }

    @Override
    public boolean hasPendingWrites()
    {
        return false;
    }

    @Override
    public long transferFrom(final FileChannel file, final long position, final long count)
    {
        throw new UnsupportedOperationException("a consumer sends no files");
    }

    @Override
    public boolean isOpen()
    {
        return true;
    }

    @Override
    public void close()
    {
    }
}
