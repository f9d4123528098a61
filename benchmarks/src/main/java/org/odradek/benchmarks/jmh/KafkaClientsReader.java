// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

import java.nio.ByteBuffer;

/**
 * The part of kafka-clients' consumer that walks a record set, in the way its {@code CompletedFetch} does it: heap
 * memory, a {@link MemoryRecords} for each fetch, a streaming iterator for each batch with buffers that are used again.
 * What the stock consumer does to a record beyond that (deserializers, {@code ConsumerRecord}) is not here.
 */
final class KafkaClientsReader implements FetchBenchmark.Reader
{
    private final BufferSupplier bufferSupplier = BufferSupplier.create();
    private final RecordedBatches batches;
    private final boolean isCheckingCrcs;
    private long sum;

    KafkaClientsReader(final RecordedBatches batches, final boolean isCheckingCrcs)
    {
        this.batches = batches;
        this.isCheckingCrcs = isCheckingCrcs;
    }

    @Override
    public long readFetch()
    {
        int count = 0;
        for (final MutableRecordBatch batch : MemoryRecords.readableRecords(batches.bytes()).batches())
        {
            if (isCheckingCrcs)
            {
                batch.ensureValid();
            }
            try (CloseableIterator<Record> records = batch.streamingIterator(bufferSupplier))
            {
                while (records.hasNext())
                {
                    final Record record = records.next();
                    final ByteBuffer value = record.value();
                    final int index = value.position();
                    sum += RecordedBatches.touch(record.offset(), record.timestamp(), record.keySize(),
                        value.get(index), value.get(index + record.valueSize() - 1));
                    count++;
                }
            }
        }
        if (count != batches.recordCount())
        {
            throw new IllegalStateException(count + " records read, not " + batches.recordCount() + ".");
        }
        return sum;
    }
}
