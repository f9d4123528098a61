// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.CountersFileReader;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.support.AllocationProbe;
import org.odradek.consumer.support.ProbeRun;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the polling thread allocates exactly 0 bytes once warm: with records, without, and across metadata
 * refreshes, including the first one after the warm-up. Each run has a JVM of its own, so that no run warms up another.
 * <p>
 * The strict run uses C1 only: a single window must be 0 at the first try, and C1 removes no allocation. Because C2
 * sometimes makes the JVM charge the thread with memory of the compiler, the runs with C2 may try again, see
 * {@link AllocationProbe}; a planted object is found in every try. {@link RecordFormsAllocationIT} tests codecs,
 * transactions and headers.
 */
@Tag("zero-allocation")
@ExtendWith(SharedBroker.class)
class ZeroAllocationIT
{
    private static final String TOPIC = "prefilled";
    private static final String SPREAD = "prefilled-spread";
    private static final int CONNECTIONS = 8;
    private static final long RECORDS = 40_000;
    private static final long RECORDS_READ = 4 * RECORDS;
    private static final long SPREAD_RECORDS = 100_000;
    private static final int EMPTY_POLLS = 50_000;
    private static final int EMPTY_FETCHES = 200;
    /** Of the topic in a window without collector: one object for each record would fill the heap. */
    private static final int READINGS = 10;
    private static final int MANY_READINGS = 40;
    private static final int GROUP_SECONDS = 60;
    private static final int FEW_REQUESTS = 50;
    private static final int MANY_REQUESTS = 600;
    private static final int OBJECT_LENGTH = 16;
    private static final int OUT_OF_MEMORY_EXIT_CODE = 3;
    private static final String C1_ONLY = "-XX:TieredStopAtLevel=1";
    /** The default of the JVM. */
    private static final String ANY_COMPILER = "-XX:TieredStopAtLevel=4";

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = SharedBroker.broker();
        ProbeRun.fill(broker, TOPIC, 1, RECORDS);
        ProbeRun.fillInSmallBatches(broker, SPREAD, CONNECTIONS, SPREAD_RECORDS / CONNECTIONS);
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingInASingleWindow(final TransportType transport)
    {
        probe("C1", transport).strict().run()
            .assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
    }

    /** All other probes run with them. */
    @Test
    void shouldAllocateNothingWithoutAsserts()
    {
        probe("C1, without asserts", TransportType.NIO).strict().withoutAsserts().run()
            .assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
    }

    @Test
    void shouldAllocateNothingWithEveryCompiler()
    {
        assertAllocatedNothingWithEveryCompiler(TransportType.EPOLL);
    }

    @Tag("slow")
    @Test
    void shouldAllocateNothingWithEveryCompilerAndNio()
    {
        assertAllocatedNothingWithEveryCompiler(TransportType.NIO);
    }

    private static void assertAllocatedNothingWithEveryCompiler(final TransportType transport)
    {
        probe("C2", transport).run().assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
    }

    @Tag("one-jdk")
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingWithEightConnections(final TransportType transport)
    {
        final ProbeRun run = ProbeRun.ofConnections(
            "eight connections", broker, SPREAD, transport, CONNECTIONS, SPREAD_RECORDS / CONNECTIONS).run();

        assertEquals(CONNECTIONS, run.figure("connections"));
        assertTrue(run.figure("records") >= SPREAD_RECORDS);
        assertEquals(0, run.figure("bytes"));
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingWithoutEscapeAnalysis(final TransportType transport)
    {
        probe("C2 without escape analysis", transport).flags("-XX:-DoEscapeAnalysis").run()
            .assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
    }

    /**
     * With the counters file, its error log, the histograms and the count of stalls on, the thread pinned to a core,
     * and this process reading the file meanwhile.
     */
    @Tag("one-jdk")
    @Test
    void shouldAllocateNothingWhileItsCountersAreRead(@TempDir final Path folder)
    {
        final ProbeRun probe = probe("watched", TransportType.EPOLL).strict().watch(folder).pin().run();

        probe.assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
        assertTrue(probe.counters().total(ConsumerCounters.RECORDS) >= RECORDS_READ);
        assertTrue(probe.counters().total(ConsumerCounters.EMPTY_POLLS) >= EMPTY_POLLS);
        assertArrayEquals(new long[] {RECORDS},
            probe.counters().partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID));
        assertArrayEquals(new long[] {0}, probe.counters().partitionValues(CountersFileReader.LAG_TYPE_ID));
    }

    /** With a heartbeat every 5 ms, and a commit every 7 ms while records are read, and perhaps acknowledged. */
    // Behaviour O187, tried 2026-11-29: Once warm, heartbeats and commits allocate nothing; they start no thread.
    @ParameterizedTest
    @CsvSource({"EPOLL, CONSUMER, true", "NIO, CLASSIC, false"})
    void shouldAllocateNothingAsAMemberOfAGroup(
        final TransportType transport, final GroupProtocol protocol, final boolean isAcknowledged)
    {
        final ProbeRun probe = probe("group " + protocol, transport).flags(C1_ONLY)
            .set("windows", 1).set("group", "group" + transport + protocol).set("groupProtocol", protocol)
            .set("acknowledged", isAcknowledged).set("groupRequests", FEW_REQUESTS).set("emptyFetches", 1_000)
            .run();

        probe.assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, 1_000);
        assertTrue(probe.figure("heartbeats") >= FEW_REQUESTS);
        assertTrue(probe.figure("commits") >= FEW_REQUESTS);
        assertEquals(0, probe.figure("threads"));
    }

    /** A heartbeat every 5 ms and a commit every 7 ms for a minute, while the topic is read again and again. */
    // Behaviour O187.
    @Tag("slow")
    @Test
    void shouldRunWithoutCollectorAsAMemberOfAGroupForAMinute()
    {
        final List<ProbeRun> probes = Stream.of(TransportType.NIO, TransportType.EPOLL).parallel().map((transport) ->
            probe("group, Epsilon", transport).strict().withoutCollector().set("emptyFetches", 100)
            .set("seconds", GROUP_SECONDS).set("groupRequests", MANY_REQUESTS).set("group", "minute" + transport)
            .set("groupProtocol", GroupProtocol.CONSUMER).run()).toList();

        for (final ProbeRun probe : probes)
        {
            probe.assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, 100);
            assertTrue(probe.figure("heartbeats") >= MANY_REQUESTS);
            assertTrue(probe.figure("commits") >= MANY_REQUESTS);
            assertEquals(0, probe.figure("threads"));
        }
    }

    @Test
    void shouldFindOnePlantedObject()
    {
        assertFindsOnePlantedObject(TransportType.EPOLL, C1_ONLY);
    }

    @Tag("slow")
    @Test
    void shouldFindOnePlantedObjectWithEveryCompiler()
    {
        assertFindsOnePlantedObject(TransportType.NIO, ANY_COMPILER);
    }

    private static void assertFindsOnePlantedObject(final TransportType transport, final String flag)
    {
        final ProbeRun probe =
            probe("planted", transport).flags(flag).set("planted", "one").set("emptyFetches", 1).run();

        assertTrue(probe.figure("bytes") >= OBJECT_LENGTH);
        assertNotEquals(0, probe.exitCode());
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldRunWithoutCollector(final TransportType transport)
    {
        epsilon("Epsilon", transport).flags(C1_ONLY).run()
            .assertAllocatedNothing(READINGS * RECORDS_READ, EMPTY_POLLS, 100);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldReadMillionsOfRecordsWithoutCollector(final TransportType transport)
    {
        epsilon("Epsilon, many readings", transport).set("readings", MANY_READINGS).set("emptyFetches", 2_000).run()
            .assertAllocatedNothing(MANY_READINGS * RECORDS_READ, EMPTY_POLLS, 2_000);
    }

    @Tag("one-jdk")
    @Test
    void shouldFailWithoutCollectorWhenEachRecordCreatesAnObject()
    {
        final ProbeRun probe =
            epsilon("Epsilon, planted", TransportType.NIO).flags(C1_ONLY).set("planted", "each").run();

        assertEquals(OUT_OF_MEMORY_EXIT_CODE, probe.exitCode());
    }

    private static ProbeRun epsilon(final String title, final TransportType transport)
    {
        return probe(title, transport).set("readings", READINGS).set("emptyFetches", 100).withoutCollector();
    }

    private static ProbeRun probe(final String title, final TransportType transport)
    {
        return new ProbeRun(title, broker, TOPIC, transport)
            .set("partitions", 1).set("recordsPerPartition", RECORDS)
            .set("windows", 3).set("readings", 1).set("emptyPolls", EMPTY_POLLS).set("emptyFetches", EMPTY_FETCHES)
            // With this flag, C2 compiles hot methods during the warm-up.
            .flags("-XX:CompileThresholdScaling=0.1");
    }
}
