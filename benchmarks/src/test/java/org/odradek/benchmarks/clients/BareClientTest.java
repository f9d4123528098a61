// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.odradek.benchmarks.rig.Sink;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.agrona.BufferUtil;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class BareClientTest
{
    private static final int RECORDS_INDEX = 61;

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

        read(batch, 4, batch.limit());

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

        read(batch, records.length, batch.limit());

        assertEquals(sum, sink.usage().sum);
    }

    @Test
    void shouldNotReadPastTheEndOfTheBatch()
    {
        final ByteBuffer batch = batch(new SimpleRecord(0, null, value(23, 1)));

        assertThrows(IllegalStateException.class, () -> read(batch, 1, batch.limit() - 1));
    }

    @Test
    void shouldNotLeaveBytesBehind()
    {
        final ByteBuffer batch = batch(
            new SimpleRecord(0, null, value(23, 1)), new SimpleRecord(0, null, value(23, 2)));

        assertThrows(IllegalStateException.class, () -> read(batch, 1, batch.limit()));
    }

    @Test
    void shouldNotReadValuesThatAreTooShortForThreeLongs()
    {
        final ByteBuffer batch = batch(new SimpleRecord(0, null, new byte[22]));

        assertThrows(IllegalStateException.class, () -> read(batch, 1, batch.limit()));
    }

    private void read(final ByteBuffer batch, final int count, final int limit)
    {
        final long address = BufferUtil.address(batch);
        BareClient.readRecords(address + RECORDS_INDEX, address + limit, count, 0, 0, sink);
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
