// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.TransportType;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Checks that the polling thread allocates 0 bytes once its connections are authenticated. */
@Tag("zero-allocation")
@Timeout(600)
class SecuredAllocationIT
{
    private static final String TOPIC = "prefilled";
    private static final long RECORDS = 50_000;
    private static final int EMPTY_POLLS = 20_000;
    private static final int EMPTY_FETCHES = 200;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start(new BrokerSettings().secured());
        broker.createTopic(TOPIC, 1);
        ProbeRun.fill(broker, TOPIC, 1, RECORDS);
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource({"SASL_PLAINTEXT, SCRAM-SHA-512, NIO", "SASL_SSL, SCRAM-SHA-256, EPOLL"})
    void shouldAllocateNothing(
        final SecureListener listener, final String mechanism, final TransportType transport) throws IOException
    {
        final Properties properties = new Properties();
        properties.putAll(broker.security().clientProperties(listener, mechanism));
        properties.put("bootstrap.servers", broker.bootstrapServers(listener));
        final Path file = broker.security().folder().resolve(listener + ".properties");
        try (BufferedWriter writer = Files.newBufferedWriter(file))
        {
            properties.store(writer, null);
        }

        new ProbeRun(listener + " " + mechanism, broker, TOPIC, transport)
            .set("bootstrap", broker.bootstrapServers(listener)).set("clientProperties", file)
            .set("partitions", 1).set("recordsPerPartition", RECORDS)
            .set("windows", 1).set("readings", 1).set("emptyPolls", EMPTY_POLLS).set("emptyFetches", EMPTY_FETCHES)
            .flags("-XX:CompileThresholdScaling=0.1", "-XX:TieredStopAtLevel=1").run()
            .assertAllocatedNothing(RECORDS, EMPTY_POLLS, EMPTY_FETCHES);
    }
}
