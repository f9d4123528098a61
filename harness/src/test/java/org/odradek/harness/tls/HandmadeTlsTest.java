// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.Answer;
import org.odradek.harness.ScriptedPeer;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks with the JDK's client that the hostile servers are right where a test does not want them to be wrong. */
class HandmadeTlsTest
{
    private static final long SMALL_STACK = 256 << 10;
    private static final int MAX_ATTEMPTS = 100;
    private static final byte[] BODY = "response".getBytes(StandardCharsets.US_ASCII);
    /** Size, API key and version, correlation id, and a body. */
    private static final byte[] REQUEST = ByteBuffer.allocate(18).putInt(14).putShort((short)3).putShort((short)0)
        .putInt(7).put("secret".getBytes(StandardCharsets.US_ASCII)).array();

    private final CertificateAuthority authority = new CertificateAuthority("test CA");
    private final Identity identity = authority.issue("broker", "127.0.0.1");

    private byte[] encoded()
    {
        try
        {
            return identity.chain().get(0).getEncoded();
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Sends a request and returns the response, by the JDK's client. */
    private byte[] exchange(final Supplier<ServerTls> tls) throws Exception
    {
        final KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("ca", authority.certificate());
        final TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        final SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (ScriptedPeer peer = ScriptedPeer.start((request) -> Answer.reply(BODY));
            TlsFrontEnd front = TlsFrontEnd.start(peer.port(), tls);
            SSLSocket socket = (SSLSocket)context.getSocketFactory().createSocket("127.0.0.1", front.port()))
        {
            final SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.getOutputStream().write(REQUEST);
            final byte[] response = socket.getInputStream().readNBytes(2 * Integer.BYTES + BODY.length);
            assertTrue(front.hasReceived("secret".getBytes(StandardCharsets.US_ASCII)));
            assertFalse(front.hasReceived("other".getBytes(StandardCharsets.US_ASCII)));
            assertEquals(1, front.acceptedCount());
            return response;
        }
    }

    private void assertServed(final Supplier<ServerTls> tls) throws Exception
    {
        assertEquals("response", new String(exchange(tls), 2 * Integer.BYTES, BODY.length, StandardCharsets.US_ASCII));
    }

    private HandmadeTls handmade(final Step keyExchange)
    {
        return new HandmadeTls(List.of(Step.SERVER_HELLO, Step.certificate(encoded()), keyExchange,
            Step.HELLO_DONE), HandmadeTls.END);
    }

    @ParameterizedTest
    @CsvSource({"16384, false", "16384, true", "7, false", "1, true", "300, true"})
    void shouldServeAClientThatChecksEverything(final int recordLength, final boolean isMerged) throws Exception
    {
        assertServed(() ->
        {
            final HandmadeTls tls = handmade(Step.keyExchange(identity.key())).recordLength(recordLength);
            return isMerged ? tls.merged() : tls;
        });
    }

    @Test
    void shouldRequestACertificate() throws Exception
    {
        assertServed(() -> new HandmadeTls(List.of(Step.SERVER_HELLO, Step.certificate(encoded()),
            Step.keyExchange(identity.key()), Step.CERTIFICATE_REQUEST, Step.HELLO_DONE), HandmadeTls.END));
    }

    @Test
    void shouldBeRefusedWithoutTheKeyOfTheCertificate()
    {
        final Identity other = authority.issue("other", "127.0.0.1");
        for (final Step step : List.of(Step.keyExchange(other.key()), Step.keyExchange(),
            Step.keyExchange(new byte[70]), Step.UNSIGNED_KEY_EXCHANGE))
        {
            assertThrows(SSLException.class, () -> exchange(() -> handmade(step)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldServeByTheEngine(final String protocol) throws Exception
    {
        final SSLContext context = EngineTls.context(identity, null);
        assertServed(() -> new EngineTls(context, protocol));
        final SSLContext hostile = EngineTls.context(identity, new byte[100]);
        assertThrows(IOException.class, () -> exchange(() -> new EngineTls(hostile, protocol)));
    }

    /** The JDK ignores whatever the parser of an extension throws, except where it overflows once more meanwhile. */
    @Test
    void shouldOverflowASmallStackNowAndThen() throws InterruptedException
    {
        assertOverflows(NestedCertificate.DEPTH, 30_000, 32_000);
        assertOverflows(NestedCertificate.GREATEST_DEPTH, 56_000, 65_000);
    }

    private void assertOverflows(final int depth, final int minLength, final int maxLength)
        throws InterruptedException
    {
        boolean hasOverflown = false;
        for (int i = 0; i < MAX_ATTEMPTS && !hasOverflown; i++)
        {
            // The JDK caches what it has parsed.
            final byte[] certificate =
                NestedCertificate.ofOctetStrings(identity.chain().get(0).getPublicKey(), depth - i);
            assertTrue(certificate.length >= minLength && certificate.length <= maxLength,
                certificate.length + " bytes");
            hasOverflown = parse(certificate) instanceof StackOverflowError;
        }
        assertTrue(hasOverflown);
    }

    @Test
    void shouldOverflowASmallStackWithIndefiniteLengths() throws InterruptedException
    {
        if (Runtime.version().feature() < 25)
        {
            assertInstanceOf(StackOverflowError.class,
                parse(NestedCertificate.ofIndefiniteLengths(NestedCertificate.DEPTH)));
        }
    }

    /** Returns what the parser has thrown on a thread with a small stack, or null. */
    private static Throwable parse(final byte[] certificate) throws InterruptedException
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread thread = new Thread(null, () ->
        {
            try
            {
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate));
            }
            catch (final Throwable ex)
            {
                thrown.set(ex);
            }
        }, "small stack", SMALL_STACK);
        thread.start();
        thread.join();
        return thrown.get();
    }
}
