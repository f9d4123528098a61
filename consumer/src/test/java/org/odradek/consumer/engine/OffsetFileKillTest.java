// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.consumer.OffsetFile;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills a process that stores offsets at random moments while its file grows. The process notes each store that has
 * returned in a second file, so the expected offset is known up to one store.
 */
class OffsetFileKillTest
{
    private static final String TOPIC = "trades";
    private static final int MAX_PARTITIONS = 40;
    private static final int KILLS = 6;
    private static final int STORES_PER_PARTITION = 5_000;

    @TempDir
    Path folder;

    @Test
    void shouldHoldEveryOffsetThatWasStoredAndNoOther()
    {
        final Path path = folder.resolve("offsets");
        final Path witnessPath = folder.resolve("witness");
        final MappedByteBuffer mapped =
            IoUtil.mapNewFile(witnessPath.toFile(), MAX_PARTITIONS * Long.BYTES);
        final UnsafeBuffer witness = new UnsafeBuffer(mapped);
        final long seed = Long.getLong("odradek.kills.seed", System.nanoTime());
        System.out.println("kills of the offset file: -Dodradek.kills.seed=" + seed);
        final Random random = new Random(seed);
        for (int kill = 0; kill < KILLS; kill++)
        {
            final long enough = witness.getLongVolatile(0) + 1 + random.nextInt(4 * STORES_PER_PARTITION);
            try (JavaProcess child =
                JavaProcess.of(Storer.class).startingQuickly().args(path.toString(), witnessPath.toString()).start())
            {
                Await.until("store " + enough + " of " + child.pid(), () ->
                {
                    assertTrue(child.isAlive(), child::outputTail);
                    return witness.getLongVolatile(0) >= enough;
                });
                child.kill();
            }
            check(path, witness, enough);
        }
        IoUtil.unmap(mapped);
    }

    private static void check(final Path path, final UnsafeBuffer witness, final long enough)
    {
        try (OffsetFile file = OffsetFile.map(path, TOPIC, 0))
        {
            assertTrue(file.offset(0) >= enough, file::toString);
            for (int p = 0; p < MAX_PARTITIONS; p++)
            {
                final long returned = witness.getLong(p * Long.BYTES);
                final long offset = Math.max(0, file.offset(p));
                // The process may have been killed after the last store, before it was noted.
                assertTrue(offset == returned || offset == returned + 1,
                    () -> file + " where " + returned + " was stored last");
                assertEquals(offset == 0 ? OffsetFile.NULL_EPOCH : Storer.epochOf(p, offset), file.leaderEpoch(p));
                witness.putLong(p * Long.BYTES, offset);
            }
        }
    }

    public static final class Storer
    {
        private Storer()
        {
        }

        static int epochOf(final int partition, final long offset)
        {
            return (int) (offset * 0x9E3779B9L) ^ partition;
        }

        public static void main(final String[] args)
        {
            final UnsafeBuffer witness =
                new UnsafeBuffer(IoUtil.mapExistingFile(Path.of(args[1]).toFile(), "witness"));
            final OffsetFile file = OffsetFile.map(Path.of(args[0]), TOPIC, 1);
            for (long round = Math.max(0, file.offset(0));; round++)
            {
                final long partitions = Math.min(MAX_PARTITIONS, 1 + round / STORES_PER_PARTITION);
                for (int p = 0; p < partitions; p++)
                {
                    final long offset = Math.max(0, file.offset(p)) + 1;
                    file.store(p, offset, epochOf(p, offset));
                    witness.putLongOrdered(p * Long.BYTES, offset);
                }
            }
        }
    }
}
