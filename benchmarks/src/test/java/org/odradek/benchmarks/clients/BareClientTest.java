// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.odradek.protocol.record.RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET;
import static org.odradek.protocol.record.RecordBatchFlyweight.LENGTH_OVERHEAD;
import static org.odradek.protocol.record.RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET;

class BareClientTest
{
    private final Sink sink = Sink.ofPasses();

    @Test
    void shouldReadKeysHeadersAndLengthsOfOneTwoAndThreeBytes()
    {
        final byte[] small = value(23, 1);
        final byte[] medium = value(100, 2);
        final byte[] large = value(9_000, 3);
        final ByteBuffer batch = batch(
            new SimpleRecord(1_000, null, small),
            new SimpleRecord(2_000_000, new byte[]{7, 7, 7}, medium),
            new SimpleRecord(3, null, large, new RecordHeader[]{new RecordHeader("name", new byte[40])}),
            new SimpleRecord(1_000, new byte[0], small));

        read(batch);

        assertEquals(4, sink.usage().records);
        assertEquals(23 + 100 + 9_000 + 23, sink.usage().bytes);
        assertEquals(2 * ThreeLongs.sum(small) + ThreeLongs.sum(medium) + ThreeLongs.sum(large), sink.usage().sum);
    }

    @Test
    void shouldReadOffsetDeltasOfTwoBytes()
    {
        final SimpleRecord[] records = new SimpleRecord[300];
        long sum = 0;
        for (int i = 0; i < records.length; i++)
        {
            final byte[] value = value(23, i);
            records[i] = new SimpleRecord(i, null, value);
            sum += ThreeLongs.sum(value);
        }
        final ByteBuffer batch = batch(records);

        read(batch);

        assertEquals(sum, sink.usage().sum);
    }

    @Test
    void shouldNotReadPastTheEndOfTheBatch()
    {
        final ByteBuffer batch = batch(new SimpleRecord(0, null, value(23, 1)));
        batch.putInt(BATCH_LENGTH_FIELD_OFFSET, batch.limit() - LENGTH_OVERHEAD - 1);

        assertThrows(IllegalStateException.class, () -> read(batch));
    }

    @Test
    void shouldNotLeaveBytesBehind()
    {
        final ByteBuffer batch = batch(
            new SimpleRecord(0, null, value(23, 1)), new SimpleRecord(0, null, value(23, 2)));
        batch.putInt(RECORD_COUNT_FIELD_OFFSET, 1);

        assertThrows(IllegalStateException.class, () -> read(batch));
    }

    @Test
    void shouldNotReadValuesThatAreTooShortForThreeLongs()
    {
        final ByteBuffer batch = batch(new SimpleRecord(0, null, new byte[22]));

        assertThrows(IllegalStateException.class, () -> read(batch));
    }

    private void read(final ByteBuffer bytes)
    {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        assertEquals(RecordBatchFlyweight.COMPLETE, batch.wrap(new RecordMemory(bytes), 0, bytes.limit()));
        BareClient.readRecords(batch, new RecordFlyweight(), 0, sink);
    }

    private static byte[] value(final int length, final long number)
    {
        final byte[] value = new byte[length];
        ThreeLongs.fill(value, number, number);
        return value;
    }

    private static ByteBuffer batch(final SimpleRecord... records)
    {
        final ByteBuffer bytes = MemoryRecords.withRecords(Compression.NONE, records).buffer();
        final ByteBuffer direct = ByteBuffer.allocateDirect(bytes.remaining());
        direct.put(bytes).flip();
        return direct;
    }
}
