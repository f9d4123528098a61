// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientCounters;
import org.odradek.client.core.CounterWriter;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Checks the certificate chains and the host names of brokers with a trust manager of the JDK, and counts the time of
 * the checks.
 */
final class PeerVerifier extends X509ExtendedTrustManager
{
    private final X509ExtendedTrustManager trust;
    private final CounterWriter counters;
    private final RefusedKeys refusedKeys;
    /** The certificate of the last peer that was accepted since {@link #forget()}, or null if there is none. */
    X509Certificate accepted;

    /** @param refusedKeys if not null, only keys that BoringSSL refuses are accepted; null to accept all keys. */
    PeerVerifier(final X509ExtendedTrustManager trust, final CounterWriter counters, final RefusedKeys refusedKeys)
    {
        this.trust = trust;
        this.counters = counters;
        this.refusedKeys = refusedKeys;
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String authType, final SSLEngine engine)
        throws CertificateException
    {
        final long startNs = System.nanoTime();
        try
        {
            trust.checkServerTrusted(chain, authType, engine);
        }
        catch (final CertificateException ex)
        {
            throw TlsErrors.refused(ex, chain, engine.getHandshakeSession().getPeerHost());
        }
        finally
        {
            counters.add(ClientCounters.TLS_VERIFICATION_NS, System.nanoTime() - startNs);
        }
        if (refusedKeys != null)
        {
            refusedKeys.check(chain[0], engine.getPeerHost(), engine.getPeerPort());
        }
        accepted = chain[0];
    }

    void forget()
    {
        accepted = null;
    }

    @Override
    public X509Certificate[] getAcceptedIssuers()
    {
        return trust.getAcceptedIssuers();
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String authType)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String authType, final Socket socket)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String authType)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String authType, final Socket socket)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String authType, final SSLEngine engine)
    {
        throw new UnsupportedOperationException();
    }
}
