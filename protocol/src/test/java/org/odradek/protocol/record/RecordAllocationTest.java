// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.junit.jupiter.api.Test;
import org.odradek.protocol.Allocation;

import java.nio.ByteBuffer;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class RecordAllocationTest
{
    private static final int RUNS = 2_000;
    private static final byte[] HEADER_KEY = {'a'};

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private long sink;

    @Test
    void shouldReadBatchesWithoutAllocating()
    {
        final Random random = new Random(77);
        final ByteBuffer set = ByteBuffer.allocate(1 << 18);
        for (int i = 0; i < 10; i++)
        {
            set.put(RecordBatches.random(random));
        }
        final byte[] bytes = new byte[set.flip().limit()];
        set.get(bytes);
        final RecordMemory memory = RecordBatches.memory(bytes);

        final long allocated = Allocation.bytesOf(RUNS, () -> read(memory));

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
        memory.free();
    }

    private void read(final RecordMemory memory)
    {
        int index = 0;
        while (batch.wrap(memory, index, memory.capacity()) == RecordBatchFlyweight.COMPLETE)
        {
            sink += batch.computeCrc() - batch.crc();
            record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), 0);
            while (record.next())
            {
                readRecord();
            }
            index = batch.limit();
        }
    }

    private void readRecord()
    {
        sink += record.offset() + record.timestamp() + record.keyLength();
        if (record.keyLength() > 0)
        {
            sink += record.keyByteBuffer().get(record.keyIndex());
        }
        if (record.valueLength() > 0)
        {
            sink += record.valueByteBuffer().get(record.valueIndex());
        }
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            sink += headers.valueLength();
        }
        sink += record.headers().next(HEADER_KEY) ? 1 : 0;
    }
}
