// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.testkit.internal.Identity;
import org.odradek.testkit.internal.JavaProcess;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** SecuredBrokerIT connects to the listeners. */
class BrokerSecurityTest
{
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
    private static final String OTHER_URL = "file:///other";

    private final String before = System.getProperty(ALLOWED_URLS);

    @AfterEach
    void restore()
    {
        if (before == null)
        {
            System.clearProperty(ALLOWED_URLS);
        }
        else
        {
            System.setProperty(ALLOWED_URLS, before);
        }
    }

    @Test
    void shouldWriteAFileForEachMechanism() throws IOException
    {
        try (BrokerSecurity security = new BrokerSecurity())
        {
            final Path file = security.writeClientProperties(SecureListener.SASL_SSL, "PLAIN");
            security.writeClientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512");

            final Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(file))
            {
                properties.load(reader);
            }
            assertEquals("PLAIN", properties.getProperty("sasl.mechanism"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "OAUTH | PLAIN | OAUTH of this broker has OAUTHBEARER, but not PLAIN.",
        "OAUTH | GSSAPI | OAUTH of this broker has OAUTHBEARER, but not GSSAPI.",
        "REAUTH | | REAUTH of this broker has PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, but not null.",
        "SASL_SSL | GSSAPI | SASL_SSL of this broker has PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, " +
            "but not GSSAPI; BrokerSettings.secured with a krb5.conf adds it."})
    void shouldSayWhichMechanismsAListenerHas(
        final SecureListener listener, final String mechanism, final String problem)
    {
        try (BrokerSecurity security = new BrokerSecurity())
        {
            final Exception failure = assertThrows(
                IllegalArgumentException.class, () -> security.clientProperties(listener, mechanism));

            assertEquals("Listener " + problem, failure.getMessage());
        }
    }

    @Test
    void shouldLetThisJvmReadItsFilesUntilItIsClosed()
    {
        System.setProperty(ALLOWED_URLS, OTHER_URL);
        try (BrokerSecurity one = new BrokerSecurity(); BrokerSecurity two = new BrokerSecurity())
        {
            for (int i = 0; i < 1_000; i++)
            {
                System.setProperty(ALLOWED_URLS, OTHER_URL);
                Stream.of(one, two).parallel().forEach(BrokerSecurity::prepareThisJvm);
                assertEquals(3, System.getProperty(ALLOWED_URLS).split(",").length);
            }
            // As a restart does.
            one.prepareThisJvm();
            final String token =
                one.clientProperties(SecureListener.OAUTH, "OAUTHBEARER").get("sasl.oauthbearer.token.endpoint.url");

            final List<String> urls = List.of(System.getProperty(ALLOWED_URLS).split(","));
            assertTrue(urls.size() == 4 && urls.contains(token), urls::toString);
        }
        assertEquals(OTHER_URL, System.getProperty(ALLOWED_URLS));
    }

    @Test
    void shouldIssueCertificatesForAnIpv6Address() throws Exception
    {
        try (BrokerSecurity security = new BrokerSettings().host("[::1]").secured().security())
        {
            final String names = Identity.read(security.keyStore(SecureListener.SSL), BrokerSecurity.STORE_PASSWORD)
                .chain().get(0).getSubjectAlternativeNames().toString();

            assertTrue(names.contains("0:0:0:0:0:0:0:1"), names);
            assertEquals("[::1]:9092", security.address(9092));
        }
    }

    @Test
    void shouldLeaveNoFilesWhenNoBrokerUsesIt()
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess child = JavaProcess.of(Child.class).startingQuickly().onStdout(lines::add).start())
        {
            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
        }

        assertTrue(lines.size() == 1 && lines.get(0).contains("odradek-security-"), lines::toString);
        assertFalse(Files.exists(Path.of(lines.get(0))));
    }

    /**
     * Makes certificates, and prints their folder.
     */
    public static final class Child
    {
        private Child()
        {
        }

        public static void main(final String[] args)
        {
            System.out.println(new BrokerSettings().secured().security().folder());
        }
    }
}
