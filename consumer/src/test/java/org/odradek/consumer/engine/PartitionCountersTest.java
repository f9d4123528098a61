// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.client.files.WrittenFile;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.WireLimits;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PartitionCountersTest
{
    @TempDir
    private Path folder;
    private CountersFile file;
    private PartitionCounters counters;

    @BeforeEach
    void create()
    {
        file = CountersFile.create(
            path(), WrittenFile.OWNER_ONLY, ClientKind.CONSUMER, "topic", new DutyClock(() -> 0, () -> 0));
        file.begin();
        counters = new PartitionCounters(file);
    }

    private Path path()
    {
        return folder.resolve("counters");
    }

    @Test
    void shouldShowTheProgressOfPartitions()
    {
        final CountersFileReader reader = CountersFileReader.open(path());
        assertEquals(0, reader.partitionValues(CountersFileReader.LAG_TYPE_ID).length);

        assertTrue(counters.set(3, 10, 12, 2));
        assertTrue(counters.set(1, -1, -1, -1));
        assertTrue(counters.set(3, 11, 12, 1));

        assertArrayEquals(new long[] {-1, -1, -1, 11}, reader.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID));
        assertArrayEquals(new long[] {-1, -1, -1, 12},
            reader.partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID));
        assertArrayEquals(new long[] {-1, -1, -1, 1}, reader.partitionValues(CountersFileReader.LAG_TYPE_ID));
    }

    /**
     * Checks what any tool for Agrona's counters shows: labels, types and keys.
     */
    @Test
    void shouldBeReadByAgrona()
    {
        counters.set(7, 1, 2, 3);

        final List<String> seen = new ArrayList<>();
        CountersFileReader.open(path()).counters().forEach((id, typeId, key, label) ->
        {
            seen.add(typeId + " " + key.getInt(0) + " " + label);
        });

        assertEquals(ConsumerCounters.count() + 3, seen.size());
        assertEquals("1 0 records", seen.get(0));
        assertEquals(List.of("2 7 next offset of partition 7", "3 7 high watermark of partition 7",
            "4 7 lag of partition 7"), seen.subList(ConsumerCounters.count(), seen.size()));
    }

    @Test
    void shouldRefusePartitionsForWhichThereIsNoRoom()
    {
        int partition = 0;
        while (counters.set(partition, partition, partition, 0))
        {
            partition++;
        }

        assertTrue(partition > 1_300, () -> "room for few partitions");
        assertFalse(counters.set(partition, 1, 1, 1));
        assertTrue(counters.set(0, 5, 6, 1));
        assertEquals(partition,
            CountersFileReader.open(path()).partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID).length);
        assertEquals(0, file.counters().get(ConsumerCounters.RECORDS));
    }

    @Test
    void shouldSkipImpossiblePartitions()
    {
        counters.set(0, 1, 2, 1);
        final AtomicBuffer metadata = file.reader().metaDataBuffer();
        final int keyIndex = CountersReader.metaDataOffset(ConsumerCounters.count()) + CountersReader.KEY_OFFSET;
        assertEquals(0, metadata.getInt(keyIndex));
        for (final int partition : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, WireLimits.MAX_PARTITIONS})
        {
            metadata.putInt(keyIndex, partition);
            assertEquals(0,
                CountersFileReader.open(path()).partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID).length);
        }
    }

    @Test
    void shouldReturnTheValuesOfPartitionsInAnyOrder()
    {
        for (final int partition : new int[] {7, 3, 900, 899, 0})
        {
            counters.set(partition, partition, 2 * partition, partition);
        }

        final long[] values =
            CountersFileReader.open(path()).partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID);

        final long[] expected = new long[901];
        Arrays.fill(expected, CountersFileReader.NULL_VALUE);
        for (final int partition : new int[] {7, 3, 900, 899, 0})
        {
            expected[partition] = 2 * partition;
        }
        assertArrayEquals(expected, values);
    }
}
