// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.protocol.compression.Decompressor;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;

/**
 * The codec alone on the same bytes: its library, behind the reading of frames that {@link Decompressor} does. No
 * checksum of a batch, no record.
 */
final class CodecReader implements FetchBenchmark.Reader
{
    private static final int INITIAL_LENGTH = 1 << 20;

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final Decompressor decompressor = new Decompressor(INITIAL_LENGTH, INITIAL_LENGTH);
    private final RecordMemory memory;
    private final int limit;

    CodecReader(final RecordedBatches batches)
    {
        final ByteBuffer bytes = batches.bytes();
        limit = bytes.remaining();
        memory = new RecordMemory(limit);
        memory.buffer().putBytes(0, bytes, limit);
    }

    @Override
    public long readFetch()
    {
        long length = 0;
        int index = 0;
        while (index < limit && batch.wrap(memory, index, limit) == RecordBatchFlyweight.COMPLETE)
        {
            final int recordsIndex = batch.recordsIndex();
            length += decompressor.decompress(batch.compressionType(), batch.magic(), memory.byteBuffer(),
                recordsIndex, batch.limit() - recordsIndex);
            index = batch.limit();
        }
        return length;
    }
}
