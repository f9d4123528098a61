// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class ScheduleTest
{
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void shouldSpreadARateThatDoesNotDivideASecond()
    {
        final Schedule schedule = new Schedule(100, 3);

        assertEquals(100, schedule.dueNs(0));
        assertEquals(100 + 333_333_333, schedule.dueNs(1));
        assertEquals(100 + 666_666_666, schedule.dueNs(2));
        assertEquals(100 + SECOND_NS, schedule.dueNs(3));
    }

    @Test
    void shouldNotOverflowInAYear()
    {
        final long records = 365L * 86_400 * 100_000;

        assertEquals(-5 + 365L * 86_400 * SECOND_NS, new Schedule(-5, 100_000).dueNs(records));
    }

    @Test
    void shouldBeginEachValueWithTheTimeItIsDueAt()
    {
        assertEquals(0x0102030405060708L, ByteBuffer.wrap(PacedProducer.value(23, 0x0102030405060708L, 9)).getLong(0));
        assertEquals(9, ByteBuffer.wrap(PacedProducer.value(23, 0x0102030405060708L, 9)).getLong(8));
        assertArrayEquals(new byte[]{1, 2, 3, 4, 5, 6, 7, 8}, PacedProducer.value(8, 0x0102030405060708L, 9));
    }

    @Test
    void shouldTakeSettingsToAnotherProcessUnchanged()
    {
        final ClientSettings client = ClientSettings.of(ClientKind.STOCK_NEW, "[::1]:9092", "a=b", 0, 7)
            .spinning().pinnedTo(3);
        final ProducerSettings producer = new ProducerSettings("a:1", "t", new int[]{2}, 10, 100, 5, "all");

        assertArrayEquals(client.toArguments(), ClientSettings.parse(client.toArguments()).toArguments());
        assertEquals(ClientSettings.SPIN, ClientSettings.parse(client.toArguments()).poll());
        assertArrayEquals(producer.toArguments(), ProducerSettings.parse(producer.toArguments()).toArguments());
    }
}
