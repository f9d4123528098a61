// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.support.AllocatedBlocks;
import org.odradek.testkit.AllocationMeter;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OffsetFileTest
{
    private static final String TOPIC = "trades";
    private static final int PARTITION = 3;
    private static final int HEADER_LENGTH = 512;

    @TempDir
    Path folder;
    private Path path;

    @BeforeEach
    void name()
    {
        path = folder.resolve("offsets");
    }

    private OffsetFile map(final int partitionCount)
    {
        return OffsetFile.map(path, TOPIC, partitionCount);
    }

    @Test
    void shouldHoldTheOffsetThatWasStoredLast()
    {
        try (OffsetFile file = map(4))
        {
            assertEquals(OffsetFile.NULL_OFFSET, file.offset(0));
            for (int i = 0; i <= 100; i++)
            {
                file.store(PARTITION, 10 + i, 5);
                file.store(1, i);
                assertEquals(10 + i, file.offset(PARTITION));
            }
            file.store(1, 7);
            file.store(2, Long.MAX_VALUE, Integer.MAX_VALUE);
            file.force();
        }
        try (OffsetFile file = map(1))
        {
            assertEquals(4, file.partitionCount());
            assertEquals(110, file.offset(PARTITION));
            assertEquals(5, file.leaderEpoch(PARTITION));
            assertEquals(7, file.offset(1));
            assertEquals(OffsetFile.NULL_EPOCH, file.leaderEpoch(1));
            assertEquals(Long.MAX_VALUE, file.offset(2));
            assertEquals(Integer.MAX_VALUE, file.leaderEpoch(2));
            assertEquals(OffsetFile.NULL_OFFSET, file.offset(0));
            assertEquals(OffsetFile.NULL_OFFSET, file.offset(4000));
            assertEquals(OffsetFile.NULL_OFFSET, file.offset(-1));
        }
    }

    @Test
    void shouldGrow() throws IOException
    {
        try (OffsetFile file = map(0))
        {
            file.store(0, 5);
            file.store(100, 6);
            assertEquals(101, file.partitionCount());
            assertEquals(5, file.offset(0));
            assertEquals(OffsetFile.NULL_OFFSET, file.offset(99));
            file.store(0, 7);
        }
        assertEquals(HEADER_LENGTH + 101 * 64, Files.size(path));
        try (OffsetFile file = map(200))
        {
            assertEquals(200, file.partitionCount());
            assertEquals(7, file.offset(0));
            assertEquals(6, file.offset(100));
        }
    }

    /** A store into a block that was never allocated would fail with an InternalError on a full disk. */
    @Test
    void shouldHaveAllBlocksBeforeAStore() throws IOException
    {
        try (OffsetFile file = map(1_000))
        {
            assertTrue(AllocatedBlocks.bytes(path) >= HEADER_LENGTH + 1_000 * 64, () -> path + " is sparse");
            file.store(5_000, 7);
            assertTrue(AllocatedBlocks.bytes(path) >= HEADER_LENGTH + 5_001 * 64, () -> path + " is sparse");
        }
        try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw"))
        {
            sparse.setLength(HEADER_LENGTH + 20_000 * 64);
        }
        try (OffsetFile file = map(1))
        {
            assertTrue(AllocatedBlocks.bytes(path) >= HEADER_LENGTH + 20_000 * 64, () -> path + " is sparse");
            assertEquals(7, file.offset(5_000));
        }
    }

    @Test
    void shouldServeOneWriterAtATime()
    {
        try (OffsetFile file = map(1))
        {
            file.store(0, 9);
            final IllegalStateException refusal = assertThrows(IllegalStateException.class, () -> map(1));
            assertTrue(refusal.getMessage().contains(path + " is being written by another"), refusal::getMessage);
            assertEquals(9, file.offset(0));
        }
        map(1).close();
    }

    @Test
    void shouldRefuseFilesOfOthers() throws IOException
    {
        map(1).close();
        refused("holds offsets of topic trades, not of quotes", "quotes");

        change(8, 2);
        refused("has version 2, but this library reads version 1", TOPIC);

        change(8, 1);
        change(12, 250);
        refused("the length of its topic's name is 250", TOPIC);

        final String text = "x".repeat(2 * HEADER_LENGTH);
        Files.writeString(path, text);
        refused("is not an offset file", TOPIC);
        assertEquals(text, Files.readString(path));

        Files.writeString(path, "x");
        refused("is not an offset file", TOPIC);
    }

    private void refused(final String part, final String topic)
    {
        final IllegalStateException refusal =
            assertThrows(IllegalStateException.class, () -> OffsetFile.map(path, topic, 1));
        assertTrue(refusal.getMessage().contains(part), refusal::getMessage);
    }

    private void change(final int index, final int value) throws IOException
    {
        final byte[] bytes = Files.readAllBytes(path);
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(index, value);
        Files.write(path, bytes);
    }

    @Test
    void shouldRefuseWrongUse()
    {
        assertThrows(IllegalArgumentException.class, () -> OffsetFile.map(path, null, 1));
        assertThrows(IllegalArgumentException.class, () -> OffsetFile.map(path, "x".repeat(250), 1));
        assertThrows(UncheckedIOException.class, () -> OffsetFile.map(folder.resolve("no/such"), TOPIC, 1));
        final OffsetFile file = map(1);
        assertThrows(IllegalArgumentException.class, () -> file.store(-1, 5));
        assertThrows(IllegalArgumentException.class, () -> file.store(0, -1));
        assertThrows(IllegalArgumentException.class, () -> file.store(1_000_000, 1));
        assertEquals("partitionCount is 1000001: it must be at most 1000000",
            assertThrows(IllegalArgumentException.class, () -> map(1_000_001)).getMessage());
        file.close();
        file.close();
        assertThrows(IllegalStateException.class, () -> file.store(0, 1));
        assertThrows(IllegalStateException.class, file::force);
    }

    /**
     * Whatever part of a store has reached the file, the offset before the store or the stored one is read.
     */
    @Test
    void shouldNeverReadATornStore()
    {
        final OffsetFile.Slots slots = new OffsetFile.Slots();
        final UnsafeBuffer before = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        final UnsafeBuffer after = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        final UnsafeBuffer torn = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        final Random random = new Random(7);
        int old = 0;
        int fresh = 0;
        for (int sequence = 2; sequence < 2_000; sequence++)
        {
            final long offset = Math.abs(random.nextLong() >> random.nextInt(63));
            slots.store(after, 0, PARTITION, sequence - 1, offset, sequence - 1);
            before.putBytes(0, after, 0, 64);
            slots.store(after, 0, PARTITION, sequence, offset + 1, sequence);
            for (int i = 0; i < 100; i++)
            {
                final int granule = 1 << random.nextInt(4);
                for (int index = 0; index < 64; index += granule)
                {
                    torn.putBytes(index, random.nextBoolean() ? before : after, index, granule);
                }
                final OffsetFile.Stored stored = new OffsetFile.Stored();
                slots.read(torn, 0, PARTITION, stored);
                final boolean isFresh = stored.sequence == sequence;
                assertEquals(isFresh ? offset + 1 : offset, stored.nextOffset);
                assertEquals(isFresh ? sequence : sequence - 1, stored.leaderEpoch);
                fresh += isFresh ? 1 : 0;
                old += isFresh ? 0 : 1;
            }
        }
        assertTrue(old > 0 && fresh > 0, old + " old, " + fresh + " fresh");
    }

    @Test
    void shouldIgnoreASlotOfAnotherPartitionOrTurn()
    {
        final OffsetFile.Slots slots = new OffsetFile.Slots();
        final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
        slots.store(buffer, 0, PARTITION, 1, 5, 6);

        assertTrue(isRead(slots, buffer, PARTITION));
        assertFalse(isRead(slots, buffer, PARTITION + 1));

        buffer.putBytes(0, buffer, 32, 32);
        buffer.setMemory(32, 32, (byte) 0);
        assertFalse(isRead(slots, buffer, PARTITION));
    }

    private static boolean isRead(final OffsetFile.Slots slots, final UnsafeBuffer buffer, final int partition)
    {
        final OffsetFile.Stored stored = new OffsetFile.Stored();
        slots.read(buffer, 0, partition, stored);
        return stored.nextOffset != OffsetFile.NULL_OFFSET;
    }

    @Test
    void shouldStoreWithoutAllocating()
    {
        try (OffsetFile file = map(2))
        {
            final MutableLong offset = new MutableLong();
            assertEquals(0, new AllocationMeter().leastBytes(50, () ->
            {
                for (int i = 0; i < 50_000; i++)
                {
                    file.store(i & 1, offset.incrementAndGet(), i);
                }
            }));
            assertEquals(offset.get(), file.offset(1));
        }
    }
}
