// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.jmh.FetchBenchmark.FetchParameters;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.nio.ByteBuffer;

/**
 * The part of kafka-clients' consumer that walks a record set, in the way its {@code CompletedFetch} does it: heap
 * memory, a {@link MemoryRecords} for each fetch, a streaming iterator for each batch with buffers that are used again.
 * What the stock consumer does to a record beyond that (deserializers, {@code ConsumerRecord}) is not here.
 */
@State(Scope.Benchmark)
public class KafkaClientsReader
{
    private final BufferSupplier bufferSupplier = BufferSupplier.create();
    private boolean isCheckingCrcs;
    private long sum;
    private int recordCount;
    private ByteBuffer bytes;

    @Setup
    public void setUp(final FetchParameters parameters)
    {
        isCheckingCrcs = parameters.isCheckingCrcs;
        recordCount = parameters.batches().recordCount();
        bytes = parameters.batches().bytes();
        parameters.check(readFetch());
    }

    @TearDown
    public void tearDown()
    {
        bufferSupplier.close();
    }

    private void onRecord(final Record record)
    {
        final ByteBuffer value = record.value();
        final int index = value.position();
        sum += RecordedBatches.touch(record.offset(), record.timestamp(), record.keySize(),
            value.get(index), value.get(index + record.valueSize() - 1));
    }

    /**
     * @return the sum over the records of all fetches so far.
     */
    long readFetch()
    {
        int count = 0;
        for (final MutableRecordBatch batch : MemoryRecords.readableRecords(bytes.duplicate()).batches())
        {
            if (isCheckingCrcs)
            {
                batch.ensureValid();
            }
            try (CloseableIterator<Record> records = batch.streamingIterator(bufferSupplier))
            {
                while (records.hasNext())
                {
                    onRecord(records.next());
                    count++;
                }
            }
        }
        if (count != recordCount)
        {
            throw new IllegalStateException(count + " records read, not " + recordCount + ".");
        }
        return sum;
    }
}
