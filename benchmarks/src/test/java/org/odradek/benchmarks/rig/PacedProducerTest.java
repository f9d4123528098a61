// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class PacedProducerTest
{
    private static final long SECOND_NS = 1_000_000_000;

    @Test
    void shouldSpreadARateThatDoesNotDivideASecond()
    {
        assertEquals(100, PacedProducer.dueNs(100, 3, 0));
        assertEquals(100 + 333_333_333, PacedProducer.dueNs(100, 3, 1));
        assertEquals(100 + 666_666_666, PacedProducer.dueNs(100, 3, 2));
        assertEquals(100 + SECOND_NS, PacedProducer.dueNs(100, 3, 3));
    }

    @Test
    void shouldNotOverflowInAYear()
    {
        final long records = 365L * 86_400 * 100_000;
        assertEquals(-5 + 365L * 86_400 * SECOND_NS, PacedProducer.dueNs(-5, 100_000, records));
    }

    @Test
    void shouldBeginEachValueWithTheTimeItIsDueAt()
    {
        final byte[] value = ThreeLongs.fill(new byte[23], 0x0102030405060708L, 9);
        assertEquals(23, value.length);
        assertEquals(0x0102030405060708L, ThreeLongs.first(value));
        assertEquals(ThreeLongs.others(ThreeLongs.fill(new byte[23], 5, 9)), ThreeLongs.others(value));
        assertThrows(IllegalArgumentException.class, () -> new PacedProducer(
            Settings.of("partitions", 0, "valueLength", ThreeLongs.SMALLEST_VALUE - 1)));
    }

    @Test
    void shouldTakeSettingsToAnotherProcessUnchanged()
    {
        final Settings settings = Settings.of("client", "stock-new", "bootstrap", "[::1]:9092", "topic", "a=b",
            "partitions", new int[]{0, 7}, "core", 3).with("poll", "spin");
        final Settings read = Settings.parse(settings.toArguments());
        assertEquals(settings.values(), read.values());
        assertEquals("a=b", read.text("topic"));
        assertArrayEquals(new int[]{0, 7}, read.numbers("partitions"));
        assertEquals(3, read.number("core"));
        assertThrows(IllegalArgumentException.class, () -> Settings.parse("no sign"));
        assertThrows(IllegalArgumentException.class, () -> read.text("missing"));
    }

    @Test
    void shouldCountMissingAndRepeatedOffsets()
    {
        final Sink sink = Sink.ofLiveTopic(0, 2);
        sink.onValue(0, 7, 23, 0, 0);
        sink.onValue(2, 1, 23, 0, 0);
        sink.onValue(0, 8, 23, 0, 0);
        assertEquals(0, sink.usage().missing);
        sink.onValue(0, 11, 23, 0, 0);
        assertEquals(2, sink.usage().missing);
        sink.onValue(2, 1, 23, 0, 0);
        assertEquals(3, sink.usage().missing);
        assertEquals(5, sink.records());
        assertEquals(5, sink.usage().latencyHistogram().getTotalCount());
    }
}
