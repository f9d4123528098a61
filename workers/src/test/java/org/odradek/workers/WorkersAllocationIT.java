// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.CountersFileReader;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the threads of a dispatcher and of two workers allocate exactly 0 bytes once warm, over copies, barriers,
 * commits, heartbeats, full rings, seeks and a counters file. With C1, which removes no allocation, and a JVM that
 * never frees memory.
 */
@Tag("zero-allocation")
@ExtendWith(SharedBroker.class)
class WorkersAllocationIT
{
    private static final int PARTITIONS = 2;
    private static final int NUMBERS = 8_000;
    private static final int RECORDS = 3_000_000;
    private static final long TIMEOUT_SECONDS = 200;

    @TempDir
    private Path folder;
    private final List<String> stdout = Collections.synchronizedList(new ArrayList<>());
    private final List<String> stderr = Collections.synchronizedList(new ArrayList<>());

    private int run(final String... flags)
    {
        final String topic = SharedBroker.topic(PARTITIONS);
        SharedBroker.write(topic, PARTITIONS, 10_000_000, 10_000_000 + NUMBERS);
        try (JavaProcess process = JavaProcess.of(AllocationProbe.class).onStdout(stdout::add).onStderr(stderr::add)
            .flags("-ea:org.odradek...", "-Xms64m", "-Xmx64m", "-XX:MaxDirectMemorySize=64m",
            "-XX:TieredStopAtLevel=1", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC",
            "-XX:+AlwaysPreTouch", "-XX:+ExitOnOutOfMemoryError", "-Dprobe.records=" + RECORDS,
            "-Dprobe.partitions=" + PARTITIONS, "-Dprobe.topic=" + topic,
            "-Dprobe.countersFile=" + folder.resolve("counters"),
            "-Dprobe.recordsOfPartition=" + NUMBERS * SharedBroker.KEYS / PARTITIONS,
            "-Dprobe.bootstrap=" + SharedBroker.broker().bootstrapServers()).flags(flags).start())
        {
            final int exitCode = process.exitCode(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            stdout.forEach(System.out::println);
            assertEquals(List.of(), stderr);
            assertTrue(stdout.stream().noneMatch((line) -> line.contains(" commits=0 ")), stdout::toString);
            assertTrue(LongStream.of(CountersFileReader.open(folder.resolve("counters"))
                .workerValues(WorkerCounters.RECORDS)).sum() >= RECORDS, "in the counters file");
            return exitCode;
        }
    }

    @Test
    void shouldAllocateNothingOnAllThreads()
    {
        assertEquals(0, run());
    }

    /** The window reads the topic several times, so it contains the record that plants the object. */
    @Tag("slow")
    @Test
    void shouldFindAPlantedObject()
    {
        assertNotEquals(0, run("-Dprobe.planted=true"));
    }
}
