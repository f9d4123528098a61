// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.ProbeRun;
import org.odradek.consumer.support.SharedSecuredBroker;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

/** Checks that the polling thread allocates 0 bytes once its connections are authenticated. */
@Tag("zero-allocation")
@ExtendWith(SharedSecuredBroker.class)
class SecuredAllocationIT
{
    private static final String TOPIC = "prefilled";
    private static final long RECORDS = 20_000;
    private static final int EMPTY_POLLS = 20_000;
    private static final int EMPTY_FETCHES = 200;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = SharedSecuredBroker.broker();
        ProbeRun.fill(broker, TOPIC, 1, RECORDS);
    }

    @ParameterizedTest
    @CsvSource({"SASL_PLAINTEXT, SCRAM-SHA-512, NIO", "SASL_SSL, SCRAM-SHA-256, EPOLL"})
    void shouldAllocateNothingInASingleWindow(
        final SecureListener listener, final String mechanism, final TransportType transport)
    {
        probe("C1", listener, mechanism, transport).strict().run()
            .assertAllocatedNothing(RECORDS, EMPTY_POLLS, EMPTY_FETCHES);
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"SASL_PLAINTEXT, OAUTHBEARER, EPOLL", "SASL_SSL, SCRAM-SHA-512, NIO"})
    void shouldAllocateNothingWithEveryCompiler(
        final SecureListener listener, final String mechanism, final TransportType transport)
    {
        probe("C2", listener, mechanism, transport).set("windows", 3).run()
            .assertAllocatedNothing(RECORDS, EMPTY_POLLS, EMPTY_FETCHES);
    }

    @Tag("slow")
    @Test
    void shouldRunWithoutCollector()
    {
        probe("Epsilon", SecureListener.SASL_SSL, "PLAIN", TransportType.EPOLL).strict().withoutCollector()
            .run().assertAllocatedNothing(RECORDS, EMPTY_POLLS, EMPTY_FETCHES);
    }

    private static ProbeRun probe(
        final String title, final SecureListener listener, final String mechanism, final TransportType transport)
    {
        return new ProbeRun(listener + " " + mechanism + ", " + title, broker, TOPIC, transport)
            .secured(broker.bootstrapServers(listener),
                broker.security().writeClientProperties(listener, mechanism))
            .set("partitions", 1).set("recordsPerPartition", RECORDS).set("readings", 1)
            .set("emptyPolls", EMPTY_POLLS).set("emptyFetches", EMPTY_FETCHES)
            .flags("-XX:CompileThresholdScaling=0.1");
    }
}
