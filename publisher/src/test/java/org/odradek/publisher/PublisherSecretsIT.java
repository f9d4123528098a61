// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.AuthenticationException;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SaslMechanism;
import org.odradek.client.security.ScramMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.SecureListener;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Publishes with passwords that occur nowhere else, rightly and wrongly, and searches everything that it shows. */
@ExtendWith(SharedBroker.class)
class PublisherSecretsIT
{
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    /** The beginning of each wrong password. */
    private static final String CANARY = "canary-7b21-";

    @TempDir
    private Path folder;
    private final StringWriter written = new StringWriter();
    private final PrintWriter out = new PrintWriter(written);
    private int errors;

    // Behaviour Q231, tried 2026-11-29: No event, error, counters file or description of a publisher contains a
    // password.
    @Test
    void shouldWriteNoSecret() throws IOException
    {
        connect(PlainMechanism.plain(BrokerSecurity.USER, (CANARY + "plain").toCharArray()), true);
        connect(ScramMechanism.scramSha256(BrokerSecurity.USER, (CANARY + "scram").toCharArray()), true);
        connect(PlainMechanism.plain(BrokerSecurity.USER, BrokerSecurity.PASSWORD.toCharArray()), false);
        connect(ScramMechanism.scramSha512(BrokerSecurity.USER, BrokerSecurity.PASSWORD.toCharArray()), false);

        final String all = written.toString();
        for (final String expected : List.of("SASL_SSL PLAIN", "SASL_SSL SCRAM-SHA-512", "onAuthenticationFailed",
            "Cannot authenticate", "invalid credentials", "onAcknowledged", "records acknowledged=1"))
        {
            assertTrue(all.contains(expected), () -> expected + " in " + all);
        }
        for (final String secret : List.of(CANARY, BrokerSecurity.PASSWORD))
        {
            final String hex = HexFormat.of().formatHex(secret.getBytes(StandardCharsets.US_ASCII));
            assertEquals(List.of(), all.lines().filter((line) -> line.contains(secret) || line.contains(hex)).toList());
        }
    }

    /** Writes down all that a publisher shows while it is refused, or publishes a record. */
    private void connect(final SaslMechanism mechanism, final boolean isRefused) throws IOException
    {
        final SecuritySettings security = SecuritySettings.sasl(mechanism)
            .tls(TlsSettings.trust(SharedBroker.broker().security().trustPem()));
        final PublisherContext context = Publishing
            .context(SharedBroker.broker().bootstrapServers(SecureListener.SASL_SSL)).security(security)
            .countersFile(folder.resolve("counters")).listener(listener()).errorHandler((error) ->
            {
                error.printStackTrace(out);
                errors++;
            });
        errors = 0;
        show(mechanism, security, context);
        final String name = SharedBroker.topic(1);
        try (Publisher publisher = Publisher.connect(context))
        {
            final TopicPublisher topic = publisher.topic(name);
            if (isRefused)
            {
                show(assertThrows(AuthenticationException.class, () -> publisher.awaitReady(LIMIT_NS)));
            }
            else
            {
                assertTrue(publisher.awaitReady(LIMIT_NS), publisher::describe);
                topic.offer(0, 1, null, null, null);
                assertTrue(publisher.awaitAcknowledged(LIMIT_NS), publisher::describe);
            }
            assertEquals(isRefused ? 1 : 0, errors, publisher::describe);
            show(publisher, topic, publisher.describe(), publisher.counters(), publisher.roleName());
            Thread.getAllStackTraces().keySet().forEach((thread) -> show(thread.getName()));
        }
        show(Files.readString(folder.resolve("counters"), StandardCharsets.ISO_8859_1));
    }

    private void show(final Object... objects)
    {
        Arrays.stream(objects).forEach(out::println);
    }

    /** Writes down each call. */
    private PublisherListener listener()
    {
        return (PublisherListener)Proxy.newProxyInstance(PublisherListener.class.getClassLoader(),
            new Class<?>[] {PublisherListener.class}, (proxy, method, arguments) ->
            {
                out.println(method.getName() + " " + Arrays.deepToString(arguments));
                return null;
            });
    }
}
