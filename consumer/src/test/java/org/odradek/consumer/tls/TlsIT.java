// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.tls;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.AuthenticationException;
import org.odradek.client.TransportType;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.support.SharedSecuredBroker;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads from a real broker over TLS with both providers, and checks the sentences of what can go wrong.
 */
@ExtendWith(SharedSecuredBroker.class)
class TlsIT
{
    private static final String TOPIC = "over-tls";
    private static final int RECORDS = 4_000;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONG_NS = 60 * SECOND_NS;

    private static EmbeddedBroker broker;

    private final List<String> errors = new ArrayList<>();

    @BeforeAll
    static void start()
    {
        broker = SharedSecuredBroker.broker();
        broker.createTopic(TOPIC, 1);
        broker.client().produce(TOPIC, 0, RECORDS, (i) -> ByteBuffer.allocate(1000).putLong(i).array());
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

    /** Nothing is refused: BoringSSL cannot know yet that the broker has another kind of key. */
    @ParameterizedTest
    @EnumSource(TransportType.class)
    void shouldReadFromABrokerWhoseKeyBoringSslRefuses(final TransportType transport)
    {
        final List<String> fallbacks = new ArrayList<>();
        final ConsumerContext context = context(SecureListener.ED25519, transport, tls(TlsProviderType.AUTO))
            .listener(new ConsumerListener()
            {
                @Override
                public void onTlsFallback(final String reason)
                {
                    fallbacks.add(reason);
                }
            });
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            assertTrue(consumer.awaitReady(LONG_NS), consumer::describe);
            final long deadlineNs = System.nanoTime() + LONG_NS;
            while (consumer.counters().get(ConsumerCounters.RECORDS) < RECORDS && System.nanoTime() < deadlineNs)
            {
                consumer.poll((record) -> {}, 1_000, SECOND_NS);
            }
            assertEquals(RECORDS, consumer.counters().get(ConsumerCounters.RECORDS), consumer::describe);
            assertEquals(0, consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES));
            final String reason = "TLS by the JDK for broker localhost:" + broker.port(SecureListener.ED25519) +
                ", because BoringSSL refuses the Ed25519 key of its certificate";
            assertEquals(List.of(reason), fallbacks);
            assertTrue(consumer.transportDescription().endsWith("TLS by BoringSSL; " + reason),
                consumer.transportDescription());
        }
    }

    @Test
    void shouldSayThatTheKeyOfTheBrokerIsRefused()
    {
        final String message = refusal(SecureListener.ED25519, tls(TlsProviderType.BORINGSSL));

        assertTrue(message.contains("perhaps its certificate has a key that BoringSSL refuses, such as P-521 or " +
            "Ed25519: then set the provider JDK"), message);
    }

    /** Waits until the broker or the consumer has refused the connection, twice; returns the error. */
    private String refusal(final SecureListener listener, final TlsSettings settings)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(context(listener, TransportType.EPOLL, settings)))
        {
            final long startNs = System.nanoTime();
            final AuthenticationException refusal =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LONG_NS));
            while (consumer.counters().get(ConsumerCounters.TLS_FAILURES) < 2 && System.nanoTime() - startNs < LONG_NS)
            {
                consumer.poll((record) -> {}, 1, SECOND_NS / 10);
            }
            assertTrue(System.nanoTime() - startNs >= SECOND_NS, "it tries again after a second or more");
            assertEquals(0, consumer.counters().get(ConsumerCounters.VERSION_DOWNGRADES));
            assertEquals(List.of(refusal.getMessage()), errors);
            return refusal.getMessage();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        EXPIRED       | BORINGSSL | the certificate of CN=.* expired at .*, and the clock here shows .*
        EXPIRED       | JDK       | the certificate of CN=.* expired at .*, and the clock here shows .*
        NOT_YET_VALID | BORINGSSL | the certificate of CN=.* is valid only from .*: correct the clock
        WRONG_HOST    | BORINGSSL | the certificate is not for host localhost but for elsewhere.example, 10.1.2.3: .*
        WRONG_HOST    | JDK       | the certificate is not for host localhost but for elsewhere.example, 10.1.2.3: .*
        UNKNOWN_CA    | BORINGSSL | no trusted CA has issued the certificate of CN=.*, issued by CN=.*
        UNKNOWN_CA    | JDK       | no trusted CA has issued the certificate of CN=.*, issued by CN=.*
        MTLS          | BORINGSSL | the broker .*client certificate.*
        MTLS          | JDK       | the broker .*client certificate.*
        """)
    void shouldSayOnceWhyItIsNotConnected(
        final SecureListener listener, final TlsProviderType provider, final String sentence)
    {
        final String message = refusal(listener, tls(provider));
        assertTrue(message.matches("Cannot authenticate with TLS at bootstrap server localhost:\\d+: " + sentence +
            "; the client connects again after a second or more."), message);
    }

    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void shouldSayThatNoVersionIsInCommon(final TlsProviderType provider)
    {
        final String message = refusal(SecureListener.TLS13, tls(provider).protocols("TLSv1.2"));

        assertTrue(message.contains("the broker ended TLS with the alert "), message);
    }

    @Test
    void shouldNotConnectToAHostThatIsNotAllowed()
    {
        final TlsSettings settings = tls(TlsProviderType.AUTO).allowedHosts(".*\\.example");
        final ConsumerContext context = context(SecureListener.SSL, TransportType.EPOLL, settings)
            .bootstrapServers("127.0.0.1:" + broker.port(SecureListener.SSL));
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            final AuthenticationException refusal =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LONG_NS));

            assertTrue(refusal.getMessage().contains("a broker names host localhost, which allowedHosts"),
                refusal.getMessage());
            assertEquals(1, consumer.counters().get(ConsumerCounters.CONNECTS), "to the bootstrap server");
        }
    }

    @Test
    void shouldSayThatThePortDoesNotExpectTls()
    {
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.SSL, TransportType.NIO,
            tls(TlsProviderType.AUTO)).bootstrapServers(broker.bootstrapServers())))
        {
            final long deadlineNs = System.nanoTime() + LONG_NS;
            while (errors.isEmpty() && System.nanoTime() < deadlineNs)
            {
                consumer.poll((record) -> {}, 1, SECOND_NS / 10);
            }
            assertTrue(errors.get(0).contains("as a broker does whose listener does not expect TLS"), errors.get(0));
        }
    }

    /** A certificate that is replaced by an unreadable file, then by one that the broker trusts. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void shouldUseCertificatesThatChange(final TlsProviderType provider, @TempDir final Path folder) throws IOException
    {
        final Path file = folder.resolve("client.pem");
        new CertificateAuthority("nobody").issue("stranger").writePem(file);
        final List<String> notReloaded = new ArrayList<>();
        final ConsumerContext context = context(SecureListener.MTLS, TransportType.EPOLL,
            tls(provider).key(CertificateStore.file(file))).listener(new ConsumerListener()
            {
                @Override
                public void onCertificatesNotReloaded(final String reason)
                {
                    notReloaded.add(reason);
                }
            });
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LONG_NS));
            Files.writeString(file, "not a certificate");
            final long deadlineNs = System.nanoTime() + LONG_NS;
            while (notReloaded.isEmpty() && System.nanoTime() < deadlineNs)
            {
                consumer.poll((record) -> {}, 1, SECOND_NS / 10);
            }
            assertEquals(1, consumer.counters().get(ConsumerCounters.TLS_RELOADS_FAILED));
            assertTrue(notReloaded.get(0).contains(file.toString()), notReloaded.get(0));

            Files.copy(broker.security().clientPem(), file, StandardCopyOption.REPLACE_EXISTING);

            while (consumer.counters().get(ConsumerCounters.RECORDS) == 0 && System.nanoTime() < deadlineNs)
            {
                consumer.poll((record) -> {}, 1, SECOND_NS / 10);
            }
            assertEquals(1, consumer.counters().get(ConsumerCounters.TLS_RELOADS));
            assertEquals(1, consumer.counters().get(ConsumerCounters.RECORDS));
        }
    }

    /** BoringSSL cannot choose among several keys, so it keeps the one that it has. */
    @Test
    void shouldReportAKeyStoreThatHasSeveralKeysSinceItChanged(@TempDir final Path folder) throws Exception
    {
        final char[] password = BrokerSecurity.STORE_PASSWORD.toCharArray();
        final Path file = new CertificateAuthority("nobody").issue("stranger")
            .writePkcs12(folder.resolve("client.p12"), BrokerSecurity.STORE_PASSWORD);
        final List<String> notReloaded = new ArrayList<>();
        final ConsumerContext context = context(SecureListener.MTLS, TransportType.EPOLL,
            tls(TlsProviderType.BORINGSSL).key(CertificateStore.file(file).password(password)))
            .listener(new ConsumerListener()
            {
                @Override
                public void onCertificatesNotReloaded(final String reason)
                {
                    notReloaded.add(reason);
                }
            });
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LONG_NS));
            final KeyStore store = KeyStore.getInstance(file.toFile(), password);
            final String alias = store.aliases().nextElement();
            store.setKeyEntry("another", store.getKey(alias, password), password, store.getCertificateChain(alias));
            try (OutputStream out = Files.newOutputStream(file))
            {
                store.store(out, password);
            }
            final long deadlineNs = System.nanoTime() + LONG_NS;
            while (notReloaded.isEmpty() && System.nanoTime() < deadlineNs)
            {
                consumer.poll((record) -> {}, 1, SECOND_NS / 10);
            }

            assertEquals(1, consumer.counters().get(ConsumerCounters.TLS_RELOADS_FAILED));
            assertEquals(0, consumer.counters().get(ConsumerCounters.TLS_RELOADS));
            assertEquals(List.of("BoringSSL needs one key that can be exported, and the key store has several or a " +
                "protected one since it has changed: make a new client, which uses the JDK's TLS"), notReloaded);
        }
    }
}
