// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.core.CounterWriter;
import org.odradek.protocol.DirectMemory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Begins a handshake in memory and checks a certificate before the first poll, because the first check loads many
 * classes.
 */
final class TlsWarmUp
{
    private static final String CERTIFICATES = "warm-up.pem";
    private static final String HOST = "warm-up.invalid";
    private static final int PORT = 1;
    private static final int OUTPUT_LENGTH = 1 << 15;

    private TlsWarmUp()
    {
    }

    /**
     * This method also initializes the classes that read certificates, because a class whose initialization overflows
     * the stack cannot be used any more.
     */
    static void run(final TlsProvider provider)
    {
        try
        {
            checkCertificate();
            beginHandshake(provider);
        }
        catch (final GeneralSecurityException | IOException | RuntimeException ex)
        {
            // For example, the clock may be wrong by years, so that the certificate is not valid.
        }
    }

    private static void beginHandshake(final TlsProvider provider) throws IOException
    {
        final ByteBuffer input = ByteBuffer.allocateDirect(1).limit(0);
        final ByteBuffer output = ByteBuffer.allocateDirect(OUTPUT_LENGTH);
        final TlsEngine engine = provider.newEngine(HOST, PORT);
        try
        {
            engine.handshake(input, output);
        }
        finally
        {
            engine.free();
            DirectMemory.free(input);
            DirectMemory.free(output);
        }
    }

    static void checkCertificate() throws GeneralSecurityException, IOException
    {
        try (InputStream in = TlsWarmUp.class.getResourceAsStream(CERTIFICATES))
        {
            final X509Certificate[] chain = CertificateFactory.getInstance("X.509").generateCertificates(in)
                .toArray(new X509Certificate[0]);
            final KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry(HOST, chain[chain.length - 1]);
            final TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            new PeerVerifier((X509ExtendedTrustManager)factory.getTrustManagers()[0], new CounterWriter(), null)
                .checkServerTrusted(
                    chain, "UNKNOWN", new HandshakeView(HOST, PORT, TlsProvider.TLS_1_3, true));
        }
    }
}
