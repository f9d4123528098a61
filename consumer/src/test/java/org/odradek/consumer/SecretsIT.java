// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.AuthenticationException;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.SecuredClusterIT.changed;

/**
 * Connects with secrets that occur nowhere else, rightly and wrongly, and searches everything that is written
 * meanwhile, also by a broker that logs each request.
 */
class SecretsIT
{
    private static final String TOPIC = "secrets";
    private static final int RECORDS = 100;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    /** The beginning of each secret. */
    private static final String CANARY = "canary-9f3a-";
    private static final String REFUSED = "Invalid username or password";

    private static BrokerProcess broker;

    @TempDir
    private Path folder;
    private final StringWriter written = new StringWriter();
    private final PrintWriter out = new PrintWriter(written);

    @BeforeAll
    static void start()
    {
        broker = BrokerProcess.start(new BrokerSettings().secured().jvmFlags(
            "-Dorg.slf4j.simpleLogger.log.kafka.request.logger=trace",
            "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.security.authenticator=trace",
            "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.network=trace"));
        broker.createTopic(TOPIC, 1);
        broker.produce(TOPIC, 0, RECORDS, (i) -> ("value-" + i).getBytes(StandardCharsets.US_ASCII));
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    private static Map<String, String> client(final String mechanism, final String... changes)
    {
        return changed(broker.security().clientProperties(SecureListener.SASL_SSL, mechanism), changes);
    }

    /** Returns the properties of a mechanism with a password that the broker refuses. */
    private static Map<String, String> refused(final String mechanism)
    {
        final Map<String, String> right = client(mechanism);
        return changed(right, "sasl.jaas.config",
            right.get("sasl.jaas.config").replace(BrokerSecurity.PASSWORD, CANARY + "password"));
    }

    // Behaviour C35.
    @Test
    void shouldWriteNoSecret() throws IOException
    {
        final Identity client = Identity.read(broker.security().clientStore(), BrokerSecurity.STORE_PASSWORD);
        final Path keyStore = client.writePkcs12(folder.resolve("key.p12"), CANARY + "store");
        final String[] inStore = {"ssl.keystore.location", keyStore.toString(), "ssl.keystore.type", "PKCS12",
            "ssl.keystore.password", CANARY + "store", "ssl.key.password", CANARY + "store"};
        final String key = client.keyPem(false, CANARY + "key");
        final String[] inText = {"ssl.keystore.type", "PEM", "ssl.keystore.key", key, "ssl.keystore.certificate.chain",
            client.chainPem(), "ssl.key.password", CANARY + "key"};
        final Path token = Files.writeString(folder.resolve("token"), CANARY + "token");
        SecuredClusterIT.allow(token);
        final String[] inFile = {"sasl.oauthbearer.token.endpoint.url", token.toUri().toString()};

        connect(changed(refused("PLAIN"), inStore));
        connect(changed(refused("SCRAM-SHA-256"), inText));
        connect(client("OAUTHBEARER", inFile));
        connect(client("PLAIN", inText));
        connect(client("SCRAM-SHA-512", inStore));
        for (final String[] wrong : new String[][]{
            {"ssl.keystore.password", CANARY + "other"}, {"ssl.keystore.location", folder.resolve("none").toString()},
            {"sasl.jaas.config", client("PLAIN").get("sasl.jaas.config").replace(";", " " + CANARY + "rest")},
            {"ssl.truststore.certificates", CANARY + "trust"}})
        {
            assertThrows(IllegalArgumentException.class, () -> ConsumerContext.from(
                changed(changed(refused("PLAIN"), inStore), wrong)).conclude()).printStackTrace(out);
        }

        final String all = written.toString();
        assertTrue(all.contains("SASL_SSL PLAIN") && all.contains("value-99") && all.contains("invalid credentials") &&
            all.contains("invalid_token"), all);
        assertNoSecret(all, key);
        final String log = Files.readString(broker.outputFile());
        assertTrue(log.contains(REFUSED) && log.contains("\"requestApiKeyName\":\"FETCH\""), log);
        assertNoSecret(log, key);
    }

    private static void assertNoSecret(final String text, final String key)
    {
        final String lineOfKey = key.lines().skip(2).findFirst().orElseThrow();
        final String hex = HexFormat.of().formatHex(CANARY.getBytes(StandardCharsets.US_ASCII));
        for (final String secret : List.of(CANARY, hex, BrokerSecurity.PASSWORD, lineOfKey))
        {
            text.lines().filter((line) -> line.contains(secret)).findFirst().ifPresent(
                (line) -> assertEquals("", line, () -> "a line with " + secret));
        }
    }

    /** Writes down all that a consumer shows while it is refused, or reads all records. */
    private void connect(final Map<String, String> properties) throws IOException
    {
        final Path counters = folder.resolve("counters");
        final ConsumerContext context = ConsumerContext.from(properties, out::println).topic(TOPIC)
            .bootstrapServers(broker.bootstrapServers(SecureListener.SASL_SSL))
            .startPosition(StartPosition.earliest()).fetchMaxWaitMs(20).frameHandler(new FrameText())
            .errorHandler((error) -> error.printStackTrace(out))
            .countersFile(counters);
        out.println(context.security());
        final boolean isRefused = properties.values().stream().anyMatch((value) -> value.contains("/token") ||
            value.contains(CANARY + "password"));
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            assertEquals(isRefused, !isReady(consumer), consumer::describe);
            final long deadlineNs = System.nanoTime() + LIMIT_NS;
            final long[] read = {0};
            while (!isRefused && read[0] < RECORDS && System.nanoTime() - deadlineNs < 0)
            {
                consumer.poll((record) -> read[0]++, RECORDS, LIMIT_NS);
            }
            out.println(consumer.describe());
            out.println(consumer.transportDescription());
            Thread.getAllStackTraces().keySet().forEach((thread) -> out.println(thread.getName()));
        }
        final String file = Files.readString(counters, StandardCharsets.ISO_8859_1);
        assertEquals(isRefused, file.contains("Cannot authenticate"), "the error log of the counters file");
        out.println(file);
    }

    private boolean isReady(final TopicConsumer consumer)
    {
        try
        {
            return consumer.awaitReady(LIMIT_NS);
        }
        catch (final AuthenticationException ex)
        {
            ex.printStackTrace(out);
            return false;
        }
    }

    /** Writes down each frame, as a capture does. */
    private final class FrameText implements FetchFrameHandler
    {
        @Override
        public void onConnect(final String topic, final EpochClock clock, final ConsumerListener listener)
        {
            out.println("capture of " + topic);
        }

        @Override
        public boolean onFrame(final Frame frame)
        {
            final byte[] bytes = new byte[frame.length()];
            frame.buffer().getBytes(frame.index(), bytes);
            out.println(new String(bytes, StandardCharsets.ISO_8859_1));
            return true;
        }

        @Override
        public void close()
        {
            out.println("end of the capture");
        }
    }
}
