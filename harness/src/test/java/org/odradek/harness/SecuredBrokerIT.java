// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * The stock client connects to each listener of a secured broker, so that a failure elsewhere is not the broker's.
 */
class SecuredBrokerIT
{
    private static KerberosServer kerberos;
    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        kerberos = new KerberosServer();
        broker = EmbeddedBroker.start(new BrokerSettings().secured(
            kerberos.config(), kerberos.brokerLogin(), kerberos.readerLogin()));
    }

    @AfterAll
    static void stop()
    {
        broker.close();
        kerberos.close();
    }

    private static int brokers(final SecureListener listener, final Map<String, String> properties)
        throws InterruptedException, ExecutionException
    {
        final Map<String, Object> all = new HashMap<>(properties);
        all.put("bootstrap.servers", broker.bootstrapServers(listener));
        try (Admin admin = Admin.create(all))
        {
            return admin.describeCluster().nodes().get().size();
        }
    }

    @ParameterizedTest
    @CsvSource({"SSL,", "TLS13,", "MTLS,", "SASL_SSL, PLAIN", "SASL_SSL, SCRAM-SHA-256", "SASL_SSL, SCRAM-SHA-512",
        "SASL_PLAINTEXT, PLAIN", "SASL_PLAINTEXT, OAUTHBEARER", "SASL_PLAINTEXT, GSSAPI", "REAUTH, SCRAM-SHA-512",
        "OAUTH, OAUTHBEARER"})
    void shouldServeTheStockClient(final SecureListener listener, final String mechanism) throws Exception
    {
        assertEquals(1, brokers(listener, broker.security().clientProperties(listener, mechanism)));
    }

    @ParameterizedTest
    @EnumSource(names = {"EXPIRED", "NOT_YET_VALID", "WRONG_HOST", "UNKNOWN_CA"})
    void shouldShowACertificateThatTheStockClientRefuses(final SecureListener listener)
    {
        final Throwable failure = assertThrows(ExecutionException.class,
            () -> brokers(listener, broker.security().clientProperties(listener, null))).getCause();

        assertInstanceOf(SslAuthenticationException.class, failure);
    }

    @Test
    void shouldAcceptSignedTokensOnly()
    {
        final Map<String, String> unsigned =
            broker.security().clientProperties(SecureListener.SASL_PLAINTEXT, "OAUTHBEARER");

        final Throwable failure =
            assertThrows(ExecutionException.class, () -> brokers(SecureListener.OAUTH, unsigned)).getCause();

        assertInstanceOf(SaslAuthenticationException.class, failure);
    }
}
