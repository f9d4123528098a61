// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.odradek.protocol.compression.Compressor;

import java.nio.ByteBuffer;

/**
 * Checks that a batch which is sent can be read by Kafka's own classes, and that its records are compressed as the
 * scenario says, unless that would not make them shorter.
 */
final class PublishedBatch
{
    private static final String CODEC = "codec";

    private final PublishWorld world;
    private final CompressionType codec;

    PublishedBatch(final PublishWorld world)
    {
        this.world = world;
        codec = CompressionType.valueOf(world.publishing.compression.name());
    }

    /** Returns the first record of the only batch. */
    PublishedRecord check(final MemoryRecords records)
    {
        final DefaultRecordBatch batch = (DefaultRecordBatch)records.batches().iterator().next();
        final PublishedRecord first = first(batch);
        final CompressionType found = batch.compressionType();
        if (found != codec)
        {
            world.check(found == CompressionType.NONE && !isShorterCompressed(batch, records.buffer()), CODEC,
                "the batch of " + first + " to be compressed with " + codec + ", not " + found);
        }
        return first;
    }

    private PublishedRecord first(final DefaultRecordBatch batch)
    {
        PublishedRecord first = null;
        int count = 0;
        try
        {
            for (final Record record : batch)
            {
                first = first == null ? PublishedRecord.of(record.value()) : first;
                count++;
            }
        }
        catch (final RuntimeException | Error ex)
        {
            world.check(false, CODEC, "a batch that can be read, but " + ex);
        }
        world.check(first != null && count == batch.countOrNull(), CODEC, "a batch of " + batch.countOrNull() +
            " records, but " + count + " can be read");
        return first;
    }

    private boolean isShorterCompressed(final DefaultRecordBatch batch, final ByteBuffer buffer)
    {
        final int length = batch.sizeInBytes() - DefaultRecordBatch.RECORD_BATCH_OVERHEAD;
        final ByteBuffer records = ByteBuffer.allocateDirect(length);
        records.put(0, buffer, buffer.position() + DefaultRecordBatch.RECORD_BATCH_OVERHEAD, length);
        try (Compressor compressor = new Compressor(codec.id, Compressor.DEFAULT_LEVEL, length))
        {
            return compressor.compress(records, 0, length) != Compressor.NOT_SHORTER;
        }
    }
}
