// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.TlsProviderType;
import org.odradek.consumer.support.RandomProducers;
import org.odradek.consumer.support.SharedSecuredBroker;
import org.odradek.consumer.support.StockComparison;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Connects to each listener of a secured broker with Kafka's own properties, rightly and wrongly. Each wrong connection
 * is a complaint that users of other clients have filed, and its sentence is checked.
 */
@ExtendWith(SharedSecuredBroker.class)
class SecuredClusterIT
{
    private static final String TOPIC = "secured";
    private static final int RECORDS = 100;
    private static final int RANDOM_RECORDS = 500;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String CANARY = "canary-9f3a";

    private static EmbeddedBroker broker;

    private final List<Throwable> errors = new ArrayList<>();

    @BeforeAll
    static void start()
    {
        broker = SharedSecuredBroker.broker();
        broker.createTopic(TOPIC, 1);
        broker.produce(TOPIC, 0, RECORDS, (i) -> ("value-" + i).getBytes(StandardCharsets.US_ASCII));
    }

    private ConsumerContext context(final SecureListener listener, final Map<String, ?> properties)
    {
        final ConsumerContext context = ConsumerContext.from(properties, (note) -> errors.add(new Exception(note)));
        if (context.bootstrapServers() == null)
        {
            context.bootstrapServers(broker.bootstrapServers(listener));
        }
        return context.topic(TOPIC).startPosition(StartPosition.earliest()).fetchMaxWaitMs(20)
            .errorHandler(errors::add);
    }

    private static Map<String, String> client(final SecureListener listener, final String mechanism)
    {
        return broker.security().clientProperties(listener, mechanism);
    }

    /** Returns properties with some of them replaced, or removed by null. */
    static Map<String, String> changed(final Map<String, String> properties, final String... keysAndValues)
    {
        final Map<String, String> all = new LinkedHashMap<>(properties);
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            if (keysAndValues[i + 1] == null)
            {
                all.remove(keysAndValues[i]);
            }
            else
            {
                all.put(keysAndValues[i], keysAndValues[i + 1]);
            }
        }
        return all;
    }

    @ParameterizedTest
    @CsvSource({"SSL,", "MTLS,", "SASL_SSL, PLAIN", "SASL_SSL, SCRAM-SHA-256", "SASL_SSL, SCRAM-SHA-512",
        "SASL_SSL, OAUTHBEARER", "SASL_PLAINTEXT, SCRAM-SHA-512"})
    void shouldReadWithThePropertiesOfTheStockClient(final SecureListener listener, final String mechanism)
    {
        final long[] read = {0};
        try (TopicConsumer consumer = TopicConsumer.connect(context(listener, client(listener, mechanism))))
        {
            final long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (read[0] < RECORDS && System.nanoTime() - deadlineNs < 0)
            {
                consumer.poll((record) -> assertEquals(read[0]++, record.offset()), RECORDS, LIMIT_NS);
            }
            assertEquals(RECORDS, read[0], consumer::describe);
        }
        assertEquals(List.of(), errors);
    }

    static Stream<Arguments> complaints()
    {
        final Map<String, String> tls = client(SecureListener.SSL, null);
        final Map<String, String> mutual = client(SecureListener.MTLS, null);
        final Map<String, String> plain = client(SecureListener.SASL_PLAINTEXT, "PLAIN");
        final Map<String, String> scram = client(SecureListener.SASL_SSL, "SCRAM-SHA-512");
        final String stranger = new CertificateAuthority("stranger CA").issue("stranger")
            .writePkcs12(broker.security().folder().resolve("stranger.p12"), BrokerSecurity.STORE_PASSWORD).toString();
        return Stream.of(
            arguments("plaintext to a TLS port", SecureListener.SSL, Map.of(), "the port expects TLS"),
            arguments("SASL without TLS to a TLS port", SecureListener.SASL_SSL, plain, "the port expects TLS"),
            arguments("TLS to a plaintext port", SecureListener.SASL_PLAINTEXT, tls,
                "as a broker does whose listener does not expect TLS"),
            arguments("a SASL port without SASL", SecureListener.SASL_PLAINTEXT, Map.of(), "expects SASL"),
            arguments("a SASL_SSL port without SASL", SecureListener.SASL_SSL, tls, "expects SASL"),
            arguments("a TLS port with SASL", SecureListener.SSL, scram, "SASL"),
            arguments("an unknown CA", SecureListener.UNKNOWN_CA, tls,
                "no trusted CA has issued the certificate of .*CN=broker.* issued by .*CN=unknown CA"),
            arguments("an expired certificate", SecureListener.EXPIRED, tls,
                "expired at .* and the clock here shows .*: renew it, or correct the clock"),
            arguments("a certificate of the future", SecureListener.NOT_YET_VALID, tls,
                "is valid only from .* and the clock here shows"),
            arguments("a wrong host name", SecureListener.WRONG_HOST, tls,
                "the certificate is not for host localhost but for .*elsewhere.example.*10.1.2.3"),
            arguments("no client certificate", SecureListener.MTLS, tls, "client certificate"),
            arguments("a client certificate of a stranger", SecureListener.MTLS,
                changed(mutual, "ssl.keystore.location", stranger), "client certificate"),
            arguments("no TLS version in common", SecureListener.TLS13,
                changed(tls, "ssl.enabled.protocols", "TLSv1.2"), "TLS version"),
            arguments("an unknown mechanism", SecureListener.OAUTH, plain, "PLAIN.*OAUTHBEARER"),
            arguments("a wrong password", SecureListener.SASL_SSL,
                changed(scram, "sasl.jaas.config", scram.get("sasl.jaas.config").replace("alice-secret", CANARY)),
                "invalid credentials"),
            arguments("an unknown user", SecureListener.SASL_SSL,
                changed(scram, "sasl.jaas.config", scram.get("sasl.jaas.config").replace("\"alice\"", "\"nobody\"")),
                "invalid credentials"),
            arguments("an expired token", SecureListener.OAUTH, changed(client(SecureListener.OAUTH, "OAUTHBEARER"),
                "sasl.jaas.config", "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
                "sasl.oauthbearer.token.endpoint.url", expiredToken()), "token.*expired"));
    }

    /** Lets properties name a file with a token, beside the URLs that the brokers of this JVM need. */
    static void allow(final Path tokenFile)
    {
        final String property = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
        System.setProperty(property, System.getProperty(property, "") + "," + tokenFile.toUri());
    }

    private static String expiredToken()
    {
        try
        {
            final Path file = Files.writeString(broker.security().folder().resolve("expired.jwt"),
                broker.security().token(BrokerSecurity.USER, -TimeUnit.HOURS.toMillis(1)));
            allow(file);
            return file.toUri().toString();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    // Behaviour B29.
    @ParameterizedTest(name = "{0}")
    @MethodSource("complaints")
    void shouldSayInOneSentenceWhatIsWrong(
        final String complaint, final SecureListener listener, final Map<String, String> properties, final String right)
    {
        final boolean hasTls = context(listener, properties).security().tls() != null;
        for (final TlsProviderType provider : List.of(TlsProviderType.JDK, TlsProviderType.BORINGSSL))
        {
            errors.clear();
            final ConsumerContext context = context(listener, properties);
            if (hasTls)
            {
                context.security().tls().provider(provider);
            }
            try (TopicConsumer consumer = TopicConsumer.connect(context))
            {
                // The note that a mechanism sends its secret as it is comes first.
                errors.removeIf((error) -> error.getMessage().startsWith("security.protocol is SASL_PLAINTEXT: "));
                awaitError(consumer);
            }
            final String message = errors.get(0).getMessage();
            assertTrue(Pattern.compile(right).matcher(message).find(), message);
            assertEquals(-1, message.indexOf('\n'), message);
            assertFalse(message.contains(CANARY) || message.contains(BrokerSecurity.PASSWORD), message);
            if (!hasTls)
            {
                return;
            }
        }
    }

    private void awaitError(final TopicConsumer consumer)
    {
        try
        {
            assertFalse(consumer.await(() -> !errors.isEmpty(), LIMIT_NS) && errors.isEmpty());
        }
        catch (final AuthenticationException ex)
        {
            errors.add(ex);
        }
        assertFalse(errors.isEmpty(), consumer::describe);
    }

    /** Batches of all lengths, so that records of TLS end everywhere in frames. */
    @Test
    void shouldReadWhatTheStockConsumerReads()
    {
        final String topic = "oracle";
        final Random random = new Random(11);
        broker.createTopic(topic, 1);
        for (final String codec : RandomProducers.CODECS)
        {
            try (Producer<byte[], byte[]> producer = broker.client().producer(
                Map.of("compression.type", codec, "linger.ms", 5, "batch.size", 50_000)))
            {
                for (int i = 0; i < RANDOM_RECORDS; i++)
                {
                    final byte[] value = new byte[random.nextInt(random.nextInt(20) == 0 ? 60_000 : 300)];
                    random.nextBytes(value);
                    final byte[] key = random.nextBoolean() ? null : new byte[i % 50];
                    producer.send(new ProducerRecord<>(topic, 0, key, value));
                }
            }
        }
        final StockComparison stock =
            StockComparison.read(broker.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);

        for (final TlsProviderType provider : List.of(TlsProviderType.JDK, TlsProviderType.BORINGSSL))
        {
            final ConsumerContext context =
                context(SecureListener.SASL_SSL, client(SecureListener.SASL_SSL, "SCRAM-SHA-256")).topic(topic);
            context.security().tls().provider(provider);
            assertEquals(stock.expected(), stock.readByOurs(context.fetchMaxBytes(100_000)));
        }
        assertEquals(RANDOM_RECORDS * RandomProducers.CODECS.size(), stock.expected().size());
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldConnectToNoHostThatThePatternExcludes()
    {
        // The broker names itself by its name, which is not what the user has named, and which the pattern excludes.
        final ConsumerContext context = context(SecureListener.SSL, client(SecureListener.SSL, null))
            .bootstrapServers("127.0.0.1:" + broker.port(SecureListener.SSL));
        context.security().tls().allowedHosts(".*\\.example\\.com");
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            awaitError(consumer);
            assertFalse(consumer.await(() -> consumer.counters().fetches() > 0, TimeUnit.SECONDS.toNanos(1)));
        }
        assertTrue(errors.get(0).getMessage().contains("allowedHosts"), errors.get(0).getMessage());
    }

    @Test
    void shouldReloadCertificatesThatHaveBeenRotated(@TempDir final Path folder) throws IOException
    {
        final Path trust = new CertificateAuthority("old CA").writePem(folder.resolve("trust.pem"));
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.SSL, Map.of(
            "security.protocol", "SSL", "ssl.truststore.type", "PEM", "ssl.truststore.location", trust.toString()))))
        {
            awaitError(consumer);
            final Path next = Files.copy(broker.security().trustPem(), folder.resolve("next.pem"));
            Files.move(next, trust, StandardCopyOption.REPLACE_EXISTING);

            assertTrue(consumer.awaitReady(LIMIT_NS), consumer::describe);
        }
    }
}
