// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.tls.EngineTls;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyPair;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks when the JDK's TLS connects to a broker although BoringSSL is in use, against a server with the JDK's TLS.
 */
class RefusedKeysTest
{
    private static final String HOST = "broker.example";
    private static final int PORT = 9093;
    private static final String BORINGSSL = "TLS by BoringSSL";
    private static final String TRIED_BY_JDK = "the JDK's TLS makes the next connection to it";
    private static final String OTHER_REASON = "the broker has refused BoringSSL for another reason";

    @TempDir
    private Path folder;

    private final CertificateAuthority authority = new CertificateAuthority("test CA");
    private final CounterWriter counters = new CounterWriter();
    private final List<String> events = new ArrayList<>();
    private final ClientListener listener = new ClientListener()
    {
        @Override
        public void onTlsFallback(final String reason)
        {
            events.add(reason);
        }
    };
    private String protocol = "TLSv1.3";
    private IOException failure;
    private Path trust;
    private TlsEngines engines;

    @BeforeEach
    void open()
    {
        trust = authority.writePem(folder.resolve("ca.pem"));
        open(TlsProviderType.AUTO);
    }

    private void open(final TlsProviderType provider)
    {
        open(TlsSettings.trust(trust).provider(provider));
    }

    private void open(final TlsSettings settings)
    {
        close();
        engines = new TlsEngines(settings, counters, listener);
    }

    @AfterEach
    void close()
    {
        if (engines != null)
        {
            engines.close();
        }
    }

    private SSLContext server(final CertificateAuthority issuer, final String curve, final String host)
    {
        final KeyPair pair = CertificateAuthority.keyPair(curve);
        final Instant now = Instant.now();
        return issuer.issue("broker", pair, now.minus(Duration.ofHours(1)), now.plus(Duration.ofHours(1)), host)
            .serverContext();
    }

    private SSLContext server(final String curve)
    {
        return server(authority, curve, HOST);
    }

    /** Returns the sentence of the failure, or null if the connection was established. */
    private String connect(final SSLEngine server) throws IOException
    {
        try (PolledSocket socket = new TlsSocket(
            new TlsPeer(server), engines, UnlimitedMemory.budget(Long.MAX_VALUE), counters))
        {
            boolean isConnected = socket.connect(
                new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[]{127, 0, 0, 1}), PORT));
            while (!isConnected)
            {
                isConnected = socket.finishConnect();
            }
            return null;
        }
        catch (final IOException ex)
        {
            failure = ex;
            return ex.getMessage();
        }
    }

    private String connect(final SSLContext server) throws IOException
    {
        return connect(EngineTls.server(server, protocol));
    }

    private static void assertContains(final String words, final String sentence)
    {
        assertTrue(sentence != null && sentence.contains(words), sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "secp521r1, P-521, TLSv1.3", "secp521r1, P-521, TLSv1.2", "Ed25519, Ed25519, TLSv1.3",
        "Ed25519, Ed25519, TLSv1.2", "Ed448, Ed448, TLSv1.3"
    })
    void shouldConnectByTheJdkToABrokerWhoseKeyBoringSslRefuses(
        final String curve, final String kind, final String version) throws IOException
    {
        protocol = version;
        final SSLContext server = server(curve);

        assertContains(TRIED_BY_JDK, connect(server));
        assertFalse(failure instanceof SSLException, "it is no refusal yet");
        assertEquals(List.of(), events);
        assertEquals(BORINGSSL, engines.description());

        assertNull(connect(server));
        assertNull(connect(server));
        final String reason = "TLS by the JDK for broker broker.example:9093, because BoringSSL refuses the " + kind +
            " key of its certificate";
        assertEquals(List.of(reason), events);
        assertEquals(1, counters.get(ClientCounters.TLS_FALLBACKS));
        assertEquals(BORINGSSL + "; " + reason, engines.description());
    }

    @Test
    void shouldSayOnceWhyTheJdkIsUsedAlthoughTheSettingsDoNotAskForIt() throws IOException
    {
        open(TlsSettings.trust(trust).cipherSuites("TLS_AES_256_GCM_SHA384"));
        assertNull(connect(server("secp256r1")));
        assertNull(connect(server("secp256r1")));

        assertEquals(List.of("TLS is the JDK's, which allocates for each record, because BoringSSL cannot choose " +
            "among the cipher suites of TLS 1.3"), events);
        assertEquals(1, counters.get(ClientCounters.TLS_FALLBACKS));

        open(TlsProviderType.JDK);
        assertNull(connect(server("secp256r1")));
        assertEquals(1, events.size());
    }

    /** The suite is one of TLS 1.2, so TLS 1.3 is not offered. */
    @ParameterizedTest
    @CsvSource({"BORINGSSL, secp256r1", "JDK, secp256r1", "AUTO, Ed25519"})
    void shouldNegotiateTheSuiteThatIsNamed(final TlsProviderType type, final String curve) throws IOException
    {
        final String suite = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";
        final SSLContext context = server(curve);
        final SSLEngine server = EngineTls.server(context, protocol);
        server.setEnabledProtocols(new String[]{"TLSv1.3", "TLSv1.2"});
        open(TlsSettings.trust(trust).provider(type).cipherSuites(suite));
        if (type == TlsProviderType.AUTO)
        {
            protocol = "TLSv1.2";
            assertContains(TRIED_BY_JDK, connect(context));
        }

        assertNull(connect(server));

        assertEquals(suite, server.getSession().getCipherSuite());
    }

    @ParameterizedTest
    @ValueSource(strings = {"secp256r1", "secp384r1"})
    void shouldReturnToBoringSslWhenTheKeyIsAnother(final String curve) throws IOException
    {
        connect(server("Ed25519"));
        assertNull(connect(server("Ed25519")));

        assertContains(OTHER_REASON, connect(server(curve)));
        assertInstanceOf(SSLException.class, failure);
        assertEquals(BORINGSSL, engines.description());
        assertNull(connect(server(curve)));

        assertEquals(1, counters.get(ClientCounters.TLS_FALLBACKS));
        assertContains(TRIED_BY_JDK, connect(server("Ed25519")));
    }

    /** The same checks hold for the JDK's TLS. */
    @Test
    void shouldTrustNoOtherCertificateThanBoringSsl() throws IOException
    {
        final CertificateAuthority other = new CertificateAuthority("other CA");
        connect(server("Ed25519"));

        assertContains("no trusted CA", connect(server(other, "Ed25519", HOST)));
        assertContains("the certificate is not for host", connect(server(authority, "Ed25519", "other.example")));

        assertEquals(List.of(), events);
        assertNull(connect(server("Ed25519")));
    }

    @Test
    void shouldUseNoSuiteThatBoringSslDoesNotOffer() throws IOException
    {
        protocol = "TLSv1.2";
        final SSLEngine server = EngineTls.server(server("secp521r1"), protocol);
        server.setEnabledCipherSuites(new String[]{"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"});
        final SSLEngine again = EngineTls.server(server("secp521r1"), protocol);
        again.setEnabledCipherSuites(server.getEnabledCipherSuites());

        assertContains(TRIED_BY_JDK, connect(server));
        assertContains("alert handshake_failure", connect(again));
        assertInstanceOf(SSLException.class, failure);
    }

    @Test
    void shouldNotTryTheJdkAfterAnyOtherFailure() throws IOException
    {
        final SSLContext server = server("secp256r1");
        assertContains("no trusted CA", connect(server(new CertificateAuthority("other CA"), "secp256r1", HOST)));
        assertContains("is not for host", connect(server(authority, "secp256r1", "other.example")));
        protocol = "TLSv1.2";
        final SSLEngine strict = EngineTls.server(server, protocol);
        strict.setNeedClientAuth(true);
        final String withoutCertificate = connect(strict);
        assertContains("alert", withoutCertificate);
        assertFalse(withoutCertificate.contains(TRIED_BY_JDK), withoutCertificate);

        assertNull(connect(server));
        assertNull(connect(server));
        assertEquals(0, counters.get(ClientCounters.TLS_FALLBACKS));
        assertEquals(BORINGSSL, engines.description());
    }

    @Test
    void shouldNeverTryTheJdkIfBoringSslIsRequired() throws IOException
    {
        open(TlsProviderType.BORINGSSL);
        final String sentence = "then set the provider JDK";

        assertContains(sentence, connect(server("Ed25519")));
        assertContains(sentence, connect(server("Ed25519")));
        assertInstanceOf(SSLException.class, failure);
    }

    @Test
    void shouldUseChangedCertificates() throws IOException
    {
        connect(server("Ed25519"));
        assertNull(connect(server("Ed25519")));
        final CertificateAuthority next = new CertificateAuthority("next CA with a longer name");

        next.writePem(trust);

        assertContains("no trusted CA", connect(server("Ed25519")));
        assertNull(connect(server(next, "Ed25519", HOST)));
        assertEquals(1, counters.get(ClientCounters.TLS_RELOADS));
    }

    @Test
    void shouldKnowABrokerAfterTheEnginesWereClosed() throws IOException
    {
        final TlsSettings settings = TlsSettings.trust(trust);
        final RefusedKeys known = new RefusedKeys(counters, listener);
        close();
        engines = new TlsEngines(settings, counters, listener, known);
        connect(server("Ed25519"));
        close();
        engines = new TlsEngines(settings, counters, listener, known);

        assertNull(connect(server("Ed25519")));
    }

    @Test
    void shouldKnowALimitedNumberOfBrokers()
    {
        final RefusedKeys known = new RefusedKeys(counters, listener);
        for (int port = 1; port <= 1_000; port++)
        {
            assertTrue(known.add(HOST, port));
        }

        assertFalse(known.add(HOST, 1_001));
        assertFalse(known.contains(HOST, 1_001));
        assertTrue(known.add(HOST, 1_000), "it is known");
    }
}
