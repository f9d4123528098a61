// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.security;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.KerberosLogin;
import org.odradek.client.security.OAuthBearerMechanism;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SaslClientMechanism;
import org.odradek.client.security.SaslMechanism;
import org.odradek.client.security.ScramMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TokenSource;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.harness.KerberosServer;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.SignedTokens;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reads from a real broker with each SASL mechanism, renews sessions, and reports what a broker refuses. */
class SaslIT
{
    private static final String TOPIC = "sasl";
    private static final int RECORDS = 100;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);
    /** After such a pause of this JVM and its broker, a session may have ended. */
    private static final long STANDSTILL_NS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final String TOO_SOON =
        "ILLEGAL_SASL_STATE, as a broker does less than a second after it has renewed the session";
    private static final char[] PASSWORD = BrokerSecurity.PASSWORD.toCharArray();

    private static KerberosServer kerberos;
    private static EmbeddedBroker broker;

    private final List<Throwable> errors = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private long nextOffset;
    private boolean hasPolled;
    private long lastPollNs;
    private boolean hasStoodStill;

    @BeforeAll
    static void start()
    {
        kerberos = new KerberosServer();
        broker = EmbeddedBroker.start(new BrokerSettings().secured(
            kerberos.config(), kerberos.brokerLogin(), kerberos.readerLogin()));
        broker.client().createTopic(TOPIC, 1, Map.of());
        broker.client().produce(TOPIC, 0, RECORDS, (i) -> new byte[10]);
    }

    @AfterAll
    static void stop()
    {
        broker.close();
        kerberos.close();
    }

    private static SaslMechanism mechanism(final String name)
    {
        return switch (name)
        {
            case "PLAIN" -> PlainMechanism.plain(BrokerSecurity.USER, PASSWORD);
            case "SCRAM-SHA-256" -> ScramMechanism.scramSha256(BrokerSecurity.USER, PASSWORD);
            case "SCRAM-SHA-512" -> ScramMechanism.scramSha512(BrokerSecurity.USER, PASSWORD);
            case "OAUTHBEARER" -> OAuthBearerMechanism.oauthBearer(
                () -> SignedTokens.unsignedToken(BrokerSecurity.USER, HOUR_MS).toCharArray());
            case "GSSAPI" -> SaslClientMechanism.gssapi("kafka", new KerberosLogin(readerOptions(Map.of())));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** The options of the login of the reader, with these changes. */
    private static Map<String, String> readerOptions(final Map<String, String> changes)
    {
        final Matcher option = Pattern.compile("(\\w+)=\"?([^\" ;]+)\"?").matcher(kerberos.readerLogin());
        final Map<String, String> options = new HashMap<>();
        while (option.find())
        {
            options.put(option.group(1), option.group(2));
        }
        options.putAll(changes);
        return options;
    }

    private ConsumerContext context(final SecureListener listener, final SaslMechanism mechanism)
    {
        return new ConsumerContext().bootstrapServers(broker.bootstrapServers(listener)).topic(TOPIC)
            .security(SecuritySettings.sasl(mechanism).withoutTls())
            .fetchMaxWaitMs(20)
            .startPosition(StartPosition.earliest())
            .errorHandler(errors::add)
            .listener(new ConsumerListener()
            {
                @Override
                public void onConnectionLost(final int nodeId, final String address, final String reason)
                {
                    events.add("lost: " + reason);
                }

                @Override
                public void onTokenNotRenewed(final String reason)
                {
                    events.add("token: " + reason);
                }

                @Override
                public void onAuthenticationFailed(
                    final int nodeId, final String address, final String mechanism, final String reason)
                {
                    events.add(mechanism + ": " + reason);
                }
            });
    }

    private static String timedOut(final TopicConsumer consumer)
    {
        return "timed out: " + consumer.describe();
    }

    private void poll(final TopicConsumer consumer, final RecordHandler handler)
    {
        lastPollNs = hasPolled ? lastPollNs : System.nanoTime();
        hasPolled = true;
        consumer.poll(handler, 1_000, 50_000_000);
        final long nowNs = System.nanoTime();
        hasStoodStill |= nowNs - lastPollNs > STANDSTILL_NS;
        lastPollNs = nowNs;
    }

    private void readUpTo(final TopicConsumer consumer, final long endOffset)
    {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (nextOffset < endOffset)
        {
            poll(consumer, (record) -> assertEquals(nextOffset++, record.offset()));
            assertTrue(deadlineNs - System.nanoTime() > 0,
                () -> "timed out: read " + nextOffset + "\n" + consumer.describe());
        }
    }

    // Behaviour C34.
    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"})
    void shouldReadWithEachMechanism(final String name)
    {
        try (TopicConsumer consumer =
            TopicConsumer.connect(context(SecureListener.SASL_PLAINTEXT, mechanism(name))))
        {
            assertTrue(consumer.awaitReady(LIMIT_NS), () -> timedOut(consumer));
            readUpTo(consumer, RECORDS);

            assertEquals(List.of(), errors);
            assertEquals(0, consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES));
            assertTrue(consumer.counters().get(ConsumerCounters.AUTHENTICATIONS) >= 2);
            assertTrue(consumer.counters().get(ConsumerCounters.AUTHENTICATION_NS) > 0);
            assertFalse(consumer.describe().contains(BrokerSecurity.PASSWORD));
        }
    }

    @ParameterizedTest
    @CsvSource({KerberosServer.UNKNOWN + ", all.keytab", KerberosServer.WRONG_KEY + ", all.keytab",
        "reader@EXAMPLE.COM, missing.keytab"})
    void shouldReportALoginThatCannotSucceed(final String principal, final String keytab)
    {
        final KerberosLogin login = new KerberosLogin(readerOptions(Map.of(
            "principal", principal, "keyTab", kerberos.keytab().resolveSibling(keytab).toString())));
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(SecureListener.SASL_PLAINTEXT, SaslClientMechanism.gssapi("kafka", login))))
        {
            final AuthenticationException thrown =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LIMIT_NS));

            assertTrue(thrown.getMessage().contains("the Kerberos login failed: "), thrown::getMessage);
            assertEquals(List.of(thrown), errors);
        }
    }

    @Test
    void shouldTryAgainWhileNoKdcCanBeReached()
    {
        final AtomicReference<KerberosLogin> login = new AtomicReference<>(
            new KerberosLogin(readerOptions(Map.of("principal", KerberosServer.UNREACHABLE))));
        try (TopicConsumer consumer = TopicConsumer.connect(context(
            SecureListener.SASL_PLAINTEXT, SaslClientMechanism.gssapi("kafka", () -> login.get().get()))))
        {
            Await.until("three connections", () -> !consumer.awaitReady(SharedBroker.SECOND_NS / 10) &&
                consumer.counters().get(ConsumerCounters.CONNECTS) >= 3);
            login.set(new KerberosLogin(readerOptions(Map.of())));
            assertTrue(consumer.awaitReady(LIMIT_NS), () -> timedOut(consumer));

            assertEquals(1, errors.size(), errors::toString);
            assertTrue(errors.get(0).getMessage().contains("the Kerberos login failed: "), errors::toString);
            assertFalse(errors.get(0) instanceof AuthenticationException);
            assertEquals(List.of(), events);
            assertEquals(0, consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES));
        }
    }

    /** Polls until two more attempts than the first have failed. */
    private void pollThreeRefusals(final TopicConsumer consumer)
    {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES) < 3)
        {
            consumer.poll((record) -> nextOffset++, 1, 50_000_000);
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> timedOut(consumer));
        }
    }

    // Behaviour B29, tried 2026-11-29: A failed authentication is reported as an authentication error.
    // Behaviour C35.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReportAWrongPasswordOnceAndWaitBeforeTheNextAttempt(final boolean isScram)
    {
        final char[] wrong = "canary-password".toCharArray();
        final SaslMechanism mechanism = isScram ?
            ScramMechanism.scramSha512(BrokerSecurity.USER, wrong) : PlainMechanism.plain(BrokerSecurity.USER, wrong);
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.SASL_PLAINTEXT, mechanism)))
        {
            final long startNs = System.nanoTime();
            final AuthenticationException thrown =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LIMIT_NS));
            pollThreeRefusals(consumer);

            // Between three attempts are two waits, each at least a second.
            assertTrue(System.nanoTime() - startNs >= 2 * SharedBroker.SECOND_NS);
            assertEquals(List.of(thrown), errors);
            final String words = isScram ?
                "Authentication failed during authentication due to invalid credentials with SASL mechanism " +
                    "SCRAM-SHA-512" : "Authentication failed: Invalid username or password";
            assertEquals("Cannot authenticate with " + mechanism.name() + " at bootstrap server " +
                broker.bootstrapServers(SecureListener.SASL_PLAINTEXT) + ": " + words +
                "; the client connects again after a second or more.", thrown.getMessage());
            assertEquals(List.of(mechanism.name() + ": " + words), events);
            assertFalse((consumer.describe() + mechanism).contains("canary"), consumer::describe);
        }
    }

    /** A mechanism whose password is changed while it is in use, and when it was used after that. */
    private static final class ChangedPassword implements SaslMechanism
    {
        private final List<Long> wrongNs = new ArrayList<>();
        private SaslMechanism current = PlainMechanism.plain(BrokerSecurity.USER, PASSWORD);
        private boolean isWrong;

        void change()
        {
            current = PlainMechanism.plain(BrokerSecurity.USER, "wrong".toCharArray());
            isWrong = true;
        }

        @Override
        public String name()
        {
            return current.name();
        }

        @Override
        public Session begin(final String host) throws SaslException
        {
            if (isWrong)
            {
                wrongNs.add(System.nanoTime());
            }
            return current.begin(host);
        }
    }

    /** Authentications that the broker itself has refused and counted, renewals of sessions too. */
    private static long failedAuthentications() throws JMException
    {
        final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        double count = 0;
        for (final ObjectName name : beans.queryNames(
            new ObjectName("kafka.server:type=socket-server-metrics,listener=*,networkProcessor=*"), null))
        {
            count += (double)beans.getAttribute(name, "failed-authentication-total") +
                (double)beans.getAttribute(name, "failed-reauthentication-total");
        }
        return (long)count;
    }

    @Tag("slow")
    @Test
    void shouldTryOneConnectionAtATimeAfterARefusal() throws JMException
    {
        final int attempts = 6;
        final long before = failedAuthentications();
        final ChangedPassword mechanism = new ChangedPassword();
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.REAUTH, mechanism)))
        {
            readUpTo(consumer, RECORDS);
            mechanism.change();
            final long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES) < attempts)
            {
                consumer.poll((record) -> nextOffset++, 1, 50_000_000);
                assertTrue(deadlineNs - System.nanoTime() > 0, () -> timedOut(consumer));
            }

            final int connections = events.stream().filter((event) -> event.startsWith("lost")).toList().size();
            assertTrue(connections > 1 && connections < attempts - 1, events::toString);
            for (int i = connections + 1; i < mechanism.wrongNs.size(); i++)
            {
                final long gapNs = mechanism.wrongNs.get(i) - mechanism.wrongNs.get(i - 1);
                assertTrue(gapNs >= SharedBroker.SECOND_NS, () -> mechanism.wrongNs + " ns");
            }
            assertEquals(attempts, mechanism.wrongNs.size());
            assertEquals(attempts, failedAuthentications() - before);
            assertEquals(1, errors.size(), errors::toString);
        }
    }

    // Behaviour C35.
    @Test
    void shouldNameTheMechanismsThatTheBrokerSupports()
    {
        final SaslMechanism mechanism = ScramMechanism.scramSha512(BrokerSecurity.USER, PASSWORD);
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.OAUTH, mechanism)))
        {
            final AuthenticationException thrown =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LIMIT_NS));

            assertTrue(thrown.getMessage().contains(
                ": the broker does not support the mechanism SCRAM-SHA-512; it supports OAUTHBEARER;"),
                thrown::getMessage);
        }
    }

    @Test
    void shouldExplainThatATokenHasExpiredAndContinueWithTheNext()
    {
        final AtomicReference<String> token =
            new AtomicReference<>(broker.security().token(BrokerSecurity.USER, -HOUR_MS));
        final SaslMechanism mechanism = OAuthBearerMechanism.oauthBearer(() -> token.get().toCharArray());
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.OAUTH, mechanism)))
        {
            final AuthenticationException thrown =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LIMIT_NS));

            assertTrue(thrown.getMessage().contains("{\"status\":\"invalid_token\"} (the token expired at "),
                thrown::getMessage);
            assertFalse(thrown.getMessage().contains(token.get()));
            token.set(broker.security().token(BrokerSecurity.USER, HOUR_MS));
            readUpTo(consumer, RECORDS);
            assertEquals(List.of(thrown), errors);
        }
    }

    @Test
    void shouldWaitForTheFirstTokenAndKeepTheLastGoodOne(@TempDir final Path folder) throws IOException
    {
        final Path file = folder.resolve("token");
        final TokenSource files = TokenSource.file(file);
        final SaslMechanism mechanism =
            OAuthBearerMechanism.oauthBearer(() -> Files.exists(file) ? files.token() : null)
                .extension("logicalCluster", "lkc-1");
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.SASL_PLAINTEXT, mechanism)))
        {
            Await.until("the authentication", () ->
                !consumer.awaitReady(SharedBroker.SECOND_NS / 10) && consumer.describe().contains("authenticating"));
            Files.writeString(file, SignedTokens.unsignedToken(BrokerSecurity.USER, HOUR_MS) + "\n");
            assertTrue(consumer.awaitReady(LIMIT_NS), () -> timedOut(consumer));
            Files.delete(file);
            readUpTo(consumer, RECORDS);

            assertEquals(List.of(), errors);
        }
    }

    // Behaviour C37.
    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256"})
    void shouldRenewSessionsWithoutALostOrRepeatedRecord(final String name)
    {
        final String topic = "renewed-" + name;
        broker.client().createTopic(topic, 1, Map.of());
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(SecureListener.REAUTH, mechanism(name)).topic(topic)))
        {
            long written = 0;
            while (consumer.counters().get(ConsumerCounters.REAUTHENTICATIONS) < 3)
            {
                broker.client().produce(topic, 0, 10, (i) -> new byte[10]);
                written += 10;
                readUpTo(consumer, written);
                assertTrue(hasStoodStill || consumer.awaitReady(LIMIT_NS), () -> timedOut(consumer));
                // A client that has to connect again must not pass for a standstill.
                lastPollNs = System.nanoTime();
            }

            removeEffectsOfStandstill();
            assertEquals(List.of(), errors);
            assertEquals(List.of(), events);
        }
    }

    /** The file of a token is empty while it is written, if it is not replaced. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"", "two words"})
    void shouldRenewSessionsWithTheLastGoodToken(final String content, @TempDir final Path folder) throws IOException
    {
        final Path file =
            Files.writeString(folder.resolve("token"), SignedTokens.unsignedToken(BrokerSecurity.USER, HOUR_MS));
        final SaslMechanism mechanism = OAuthBearerMechanism.oauthBearer(TokenSource.file(file));
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.REAUTH, mechanism)))
        {
            readUpTo(consumer, RECORDS);
            Files.writeString(file, content);
            awaitRenewals(consumer, 4);

            removeEffectsOfStandstill();
            assertEquals(List.of(), errors);
            assertEquals(events.size(), consumer.counters().get(ConsumerCounters.TOKENS_NOT_RENEWED));
            assertTrue(!events.isEmpty() && events.stream().allMatch(
                (event) -> event.startsWith("token: the token source supplied a token ")), events::toString);

            events.clear();
            Files.writeString(file, SignedTokens.unsignedToken(BrokerSecurity.USER, HOUR_MS));
            awaitRenewals(consumer, 4);
            removeEffectsOfStandstill();
            assertEquals(List.of(), errors);
            assertEquals(List.of(), events);
        }
    }

    /**
     * Removes what follows from a standstill of this JVM and its broker. The broker may have closed connections whose
     * sessions had ended, or refused to renew sessions that had begun less than a second before by its own clock: the
     * client counts the lifetime from its request on.
     */
    private void removeEffectsOfStandstill()
    {
        if (hasStoodStill)
        {
            errors.removeIf((error) -> error.getMessage().contains(TOO_SOON));
            events.removeIf((event) -> event.startsWith("lost: ") || event.contains(TOO_SOON));
        }
    }

    private void awaitRenewals(final TopicConsumer consumer, final int count)
    {
        final long begin = consumer.counters().get(ConsumerCounters.REAUTHENTICATIONS);
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (consumer.counters().get(ConsumerCounters.REAUTHENTICATIONS) < begin + count)
        {
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> timedOut(consumer));
            poll(consumer, (record) -> {});
        }
    }

    @Test
    void shouldReportATokenSourceThatNeverHasAToken(@TempDir final Path folder)
    {
        final Path file = folder.resolve("token");
        final SaslMechanism mechanism = OAuthBearerMechanism.oauthBearer(TokenSource.file(file));
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(SecureListener.SASL_PLAINTEXT, mechanism).requestTimeoutMs(1_000)))
        {
            final String problem = "the token source has no token: NoSuchFileException " + file;
            final long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (errors.isEmpty())
            {
                assertTrue(deadlineNs - System.nanoTime() > 0, () -> timedOut(consumer));
                consumer.awaitReady(SharedBroker.SECOND_NS);
            }

            assertEquals("token: " + problem, events.get(0));
            assertTrue(errors.get(0).getMessage().contains(
                ": the mechanism OAUTHBEARER had no credentials within 1000 ms (" + problem + ")"), errors::toString);
        }
    }

    @Test
    void shouldSaySoWhenABrokerExpectsSasl()
    {
        final ConsumerContext context = context(SecureListener.SASL_PLAINTEXT, mechanism("PLAIN"))
            .security(SecuritySettings.plaintext());
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            Await.until("an error", () -> !consumer.awaitReady(2 * SharedBroker.SECOND_NS) && !errors.isEmpty());

            assertEquals(1, errors.size(), errors::toString);
            assertTrue(errors.get(0).getMessage().contains(
                "closed by the broker before it answered the first request, as a broker that expects SASL does"),
                errors::toString);
            assertEquals(List.of(), events);
        }
    }

    @Test
    void shouldSaySoWhenABrokerExpectsNoSasl()
    {
        try (TopicConsumer consumer = TopicConsumer.connect(context(SecureListener.SASL_PLAINTEXT,
            mechanism("PLAIN")).bootstrapServers(broker.bootstrapServers())))
        {
            final AuthenticationException thrown =
                assertThrows(AuthenticationException.class, () -> consumer.awaitReady(LIMIT_NS));

            assertTrue(thrown.getMessage().contains(
                ": the broker responded to SaslHandshake with ILLEGAL_SASL_STATE, as a port without SASL does;"),
                thrown::getMessage);
        }
    }
}
