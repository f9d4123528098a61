// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.ProbeRun;
import org.odradek.consumer.support.ReadingLoop;
import org.odradek.consumer.support.SharedCluster;
import org.odradek.testkit.BrokerCluster;

import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Measures allocation as {@link ZeroAllocationIT} does, with a partition on each of three brokers.
 */
@Tag("zero-allocation")
@ExtendWith(SharedCluster.class)
public class ClusterAllocationIT
{
    private static final int PARTITIONS = 3;
    private static final long RECORDS = 20_000;
    private static final long RECORDS_READ = ReadingLoop.PASSES * PARTITIONS * RECORDS;
    private static final int EMPTY_POLLS = 50_000;
    private static final int EMPTY_FETCHES = 200;

    private static String topic;

    @BeforeAll
    static void start()
    {
        final BrokerCluster cluster = SharedCluster.cluster();
        topic = SharedCluster.newTopic();
        ProbeRun.fill(cluster, topic, PARTITIONS, RECORDS);
        assertEquals(PARTITIONS, IntStream.range(0, PARTITIONS)
            .map((partition) -> cluster.leaderOf(topic, partition)).distinct().count(), "leaders");
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingInASingleWindow(final TransportType transport)
    {
        probe("three brokers, C1", transport).strict().run()
            .assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingWithEveryCompiler(final TransportType transport)
    {
        probe("three brokers", transport).set("windows", 3).flags("-XX:CompileThresholdScaling=0.1").run()
            .assertAllocatedNothing(RECORDS_READ, EMPTY_POLLS, EMPTY_FETCHES);
    }

    private static ProbeRun probe(final String title, final TransportType transport)
    {
        return new ProbeRun(title, SharedCluster.cluster(), topic, transport)
            .set("partitions", PARTITIONS).set("recordsPerPartition", RECORDS)
            .set("readings", 1).set("emptyPolls", EMPTY_POLLS).set("emptyFetches", EMPTY_FETCHES);
    }
}
