// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.function.IntFunction;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PartitionShardTest
{
    private static int[] held(final PartitionShard shard, final int partitions)
    {
        return IntStream.range(0, partitions).filter(shard::holds).toArray();
    }

    @Test
    void shouldShareByModulo()
    {
        assertArrayEquals(new int[]{1, 4, 7}, held(PartitionShard.modulo(1, 3), 10));
        assertArrayEquals(new int[]{0, 1, 2}, held(PartitionShard.modulo(0, 1), 3));
        assertArrayEquals(new int[]{}, held(PartitionShard.modulo(4, 5), 3));
    }

    @Test
    void shouldShareByRangesAndAddedPartitionsByModulo()
    {
        assertArrayEquals(new int[]{0, 1, 2, 3}, held(PartitionShard.range(0, 3, 10), 10));
        assertArrayEquals(new int[]{4, 5, 6}, held(PartitionShard.range(1, 3, 10), 10));
        assertArrayEquals(new int[]{7, 8, 9, 11}, held(PartitionShard.range(2, 3, 10), 14));
        // With more shares than partitions, the first shares have one each.
        assertArrayEquals(new int[]{1, 5}, held(PartitionShard.range(1, 4, 2), 8));
        assertArrayEquals(new int[]{3, 7}, held(PartitionShard.range(3, 4, 2), 8));
    }

    @Test
    void shouldGiveEveryPartitionOneOwner()
    {
        for (int count = 1; count < 9; count++)
        {
            final int shards = count;
            expectOneOwner(shards, (index) -> PartitionShard.modulo(index, shards));
            for (int partitions = 1; partitions < 30; partitions++)
            {
                final int cut = partitions;
                expectOneOwner(shards, (index) -> PartitionShard.range(index, shards, cut));
            }
        }
    }

    private static void expectOneOwner(final int count, final IntFunction<PartitionShard> shards)
    {
        for (int p = 0; p < 40; p++)
        {
            final int partition = p;
            assertEquals(1, IntStream.range(0, count).filter((i) -> shards.apply(i).holds(partition)).count());
        }
    }

    @Test
    void shouldReadTheOrdinalOfAStatefulSet()
    {
        assertEquals(3, PartitionShard.ordinal("ingest-3"));
        assertEquals(12, PartitionShard.ordinal("my-ingest-12.ingest.default.svc.cluster.local"));
        assertEquals(0, PartitionShard.ordinal("a-0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ingest", "ingest-", "3", "ingest-x3", "ingest-03", "ingest-9999999999", "a.b-3"})
    void shouldRefuseOtherHostNames(final String name)
    {
        final IllegalArgumentException refusal =
            assertThrows(IllegalArgumentException.class, () -> PartitionShard.ordinal(name));
        assertTrue(refusal.getMessage().contains("'" + name + "'"), refusal::getMessage);
    }

    @Test
    void shouldRefuseImpossibleShards()
    {
        assertThrows(IllegalArgumentException.class, () -> PartitionShard.ordinal(null));
        assertThrows(IllegalArgumentException.class, () -> PartitionShard.modulo(3, 3));
        assertThrows(IllegalArgumentException.class, () -> PartitionShard.modulo(-1, 3));
        assertThrows(IllegalArgumentException.class, () -> PartitionShard.modulo(0, 0));
        assertThrows(IllegalArgumentException.class, () -> PartitionShard.range(0, 1, 0));
        final ConsumerContext both = new ConsumerContext().bootstrapServers("127.0.0.1:1").topic("t")
            .partitions(1).shard(PartitionShard.modulo(0, 2));
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, both::conclude);
        assertTrue(refusal.getMessage().contains("set one of them"), refusal::getMessage);
    }
}
