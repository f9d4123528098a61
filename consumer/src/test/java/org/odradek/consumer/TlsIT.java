// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.TransportType;
import org.odradek.consumer.security.CertificateStore;
import org.odradek.consumer.security.SecuritySettings;
import org.odradek.consumer.security.TlsProviderType;
import org.odradek.consumer.security.TlsSettings;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads from a real broker over TLS with both providers, and checks the sentences of what can go wrong.
 */
@Timeout(120)
class TlsIT
{
    private static final String TOPIC = "over-tls";
    private static final int RECORDS = 20_000;
    private static final int LARGE_RECORD = 3_000_000;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONG_NS = 20 * SECOND_NS;

    private static EmbeddedBroker broker;

    private final List<String> errors = new ArrayList<>();

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start(new BrokerSettings().secured().set("message.max.bytes", "10000000"));
        broker.createTopic(TOPIC, 1);
        broker.client().produce(TOPIC, 0, RECORDS, (i) -> ByteBuffer.allocate(1000).putLong(i).array());
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    private TlsSettings tls(final TlsProviderType provider)
    {
        return TlsSettings.trust(broker.security().trustPem()).provider(provider);
    }

    private ConsumerContext context(
        final SecureListener listener, final TransportType transport, final TlsSettings settings)
    {
        return new ConsumerContext().bootstrapServers(broker.bootstrapServers(listener)).topic(TOPIC)
            .transport(transport).startPosition(StartPosition.earliest()).fetchMaxWaitMs(20)
            .security(SecuritySettings.tlsOnly(settings)).errorHandler((error) -> errors.add(error.getMessage()));
    }

    @ParameterizedTest
    @CsvSource({"SSL, NIO, BORINGSSL", "SSL, EPOLL, BORINGSSL", "TLS13, EPOLL, BORINGSSL", "SSL, NIO, JDK",
        "SSL, EPOLL, JDK", "TLS13, EPOLL, JDK", "MTLS, EPOLL, BORINGSSL", "MTLS, NIO, JDK"})
    void shouldReadEveryRecord(
        final SecureListener listener, final TransportType transport, final TlsProviderType provider)
    {
        final TlsSettings settings = tls(provider);
        if (listener == SecureListener.MTLS)
        {
            settings.key(CertificateStore.file(broker.security().clientPem()));
        }
        final long[] next = {0};
        try (TopicConsumer consumer = TopicConsumer.connect(context(listener, transport, settings)))
        {
            final long deadlineNs = System.nanoTime() + LONG_NS;
            while (next[0] < RECORDS && System.nanoTime() < deadlineNs)
            {
                consumer.poll((record) -> assertEquals(next[0]++, record.valueLong(0, BIG_ENDIAN)), 1_000, SECOND_NS);
            }
            assertEquals(RECORDS, next[0], () -> errors + "\n" + consumer.describe());
            assertEquals(List.of(), errors);
            assertTrue(consumer.counters().get(ConsumerCounters.TLS_HANDSHAKES) >= 2);
            assertTrue(consumer.counters().get(ConsumerCounters.TLS_HANDSHAKE_NS) >
                consumer.counters().get(ConsumerCounters.TLS_VERIFICATION_NS));
            assertTrue(consumer.counters().get(ConsumerCounters.TLS_VERIFICATION_NS) > 0);
        }
    }
}
