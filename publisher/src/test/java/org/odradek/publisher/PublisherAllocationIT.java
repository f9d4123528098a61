// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the thread of a publisher allocates exactly 0 bytes once warm, over offers, claims, requests, answers,
 * back pressure, waits and refreshes of metadata, and that a publisher starts no thread. Those with epoll have a
 * counters file. With C1, which removes no
 * allocation, the first window must be 0; with C2 one of three, because the JVM sometimes charges the thread with
 * memory of the compiler.
 */
@Tag("zero-allocation")
@ExtendWith(SharedBroker.class)
class PublisherAllocationIT
{
    private static final int RECORDS = 500_000;
    private static final int MANY_RECORDS = 2_000_000;
    private static final long TIMEOUT_SECONDS = 200;
    private static final String[] WITHOUT_COLLECTOR = {"-XX:TieredStopAtLevel=1", "-XX:+UnlockExperimentalVMOptions",
        "-XX:+UseEpsilonGC", "-XX:+AlwaysPreTouch", "-XX:+ExitOnOutOfMemoryError"};

    private static final String[] NO_FLAGS = {};

    @TempDir
    private Path folder;
    private final List<String> stdout = Collections.synchronizedList(new ArrayList<>());
    private final List<String> stderr = Collections.synchronizedList(new ArrayList<>());

    private int run(
        final String transport,
        final Acks acks,
        final Compression compression,
        final int records,
        final int windows,
        final String... flags)
    {
        try (JavaProcess process = JavaProcess.of(AllocationProbe.class).onStdout(stdout::add).onStderr(stderr::add)
            .flags("-ea:org.odradek...", "-Xms64m", "-Xmx64m", "-XX:MaxDirectMemorySize=64m",
            "-Dprobe.records=" + records, "-Dprobe.windows=" + windows, "-Dprobe.transport=" + transport,
            "-Dprobe.acks=" + acks, "-Dprobe.compression=" + compression, "-Dprobe.topic=" + SharedBroker.topic(2),
            "-Dprobe.bootstrap=" + SharedBroker.broker().bootstrapServers())
            .flags(transport.equals("EPOLL") ? new String[] {"-Dprobe.file=" + folder.resolve("counters")} : NO_FLAGS)
            .flags(flags).start())
        {
            final int exitCode = process.exitCode(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            stdout.forEach((line) -> System.out.println(transport + ": " + line));
            assertEquals(List.of(), stderr);
            assertTrue(stdout.get(stdout.size() - 1).contains(" threads=0 "), stdout::toString);
            return exitCode;
        }
    }

    /** With C1, which removes no allocation, and a JVM that never frees memory. */
    // Behaviour Q228, tried 2026-11-29: Publishing starts no thread, and allocates nothing once warm, with each codec,
    // TLS and SASL.
    // Behaviour Q237.
    @ParameterizedTest
    @CsvSource({"NIO, ALL, NONE", "EPOLL, LEADER, LZ4", "NIO, ALL, SNAPPY", "EPOLL, ALL, ZSTD", "NIO, LEADER, GZIP"})
    void shouldAllocateNothingInASingleWindowWithoutCollector(
        final String transport, final Acks acks, final Compression compression)
    {
        assertEquals(0, run(transport, acks, compression, RECORDS, 1, WITHOUT_COLLECTOR));
    }

    // Behaviour Q228.
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"EPOLL, ALL, NONE", "NIO, ALL, LZ4", "EPOLL, LEADER, SNAPPY", "NIO, ALL, ZSTD", "EPOLL, ALL, GZIP"})
    void shouldPublishMillionsOfRecordsWithoutCollector(
        final String transport, final Acks acks, final Compression compression)
    {
        assertEquals(0, run(transport, acks, compression, MANY_RECORDS, 1, WITHOUT_COLLECTOR));
    }

    /** BoringSSL encrypts each request, after an authentication. */
    // Behaviour Q228.
    @ParameterizedTest
    @ValueSource(strings = {"NIO", "EPOLL"})
    void shouldAllocateNothingOverTlsWithSasl(final String transport)
    {
        assertEquals(0, runOverTls(transport, RECORDS / 4));
    }

    // Behaviour Q228.
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"NIO", "EPOLL"})
    void shouldPublishMillionsOfRecordsOverTlsWithoutCollector(final String transport)
    {
        assertEquals(0, runOverTls(transport, MANY_RECORDS));
    }

    private int runOverTls(final String transport, final int records)
    {
        final String[] flags = Arrays.copyOf(WITHOUT_COLLECTOR, WITHOUT_COLLECTOR.length + 2);
        flags[flags.length - 2] = "-Dprobe.trust=" + SharedBroker.broker().security().trustPem();
        flags[flags.length - 1] =
            "-Dprobe.bootstrap=" + SharedBroker.broker().bootstrapServers(SecureListener.SASL_SSL);
        return run(transport, Acks.ALL, Compression.ZSTD, records, 1, flags);
    }

    // Behaviour Q228.
    @Test
    void shouldAllocateNothingWithEveryCompiler()
    {
        assertEquals(0, run("EPOLL", Acks.ALL, Compression.SNAPPY, RECORDS, 3, "-XX:CompileThresholdScaling=0.1"));
    }

    @Test
    void shouldFindOnePlantedObject()
    {
        assertNotEquals(0, run("NIO", Acks.ALL, Compression.NONE, RECORDS / 10, 1,
            "-XX:TieredStopAtLevel=1", "-Dprobe.planted=true"));
    }
}
