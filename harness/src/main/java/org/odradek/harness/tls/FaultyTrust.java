// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** A trust manager of the JDK that throws before or after the check of a server, at the steps of a {@link Fault}. */
public final class FaultyTrust extends X509ExtendedTrustManager
{
    public static final String BEFORE = "before the check of the certificate";
    public static final String AFTER = "after the check of the certificate";

    private final X509ExtendedTrustManager trust;
    private final Fault fault;

    public FaultyTrust(final X509ExtendedTrustManager trust, final Fault fault)
    {
        this.trust = trust;
        this.fault = fault;
    }

    /** Returns a client's context that trusts one authority. */
    public static SSLContext context(final X509Certificate authority, final Fault fault)
    {
        try
        {
            final KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry("ca", authority);
            final TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {
                new FaultyTrust((X509ExtendedTrustManager)factory.getTrustManagers()[0], fault)}, null);
            return context;
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String authType, final SSLEngine engine)
        throws CertificateException
    {
        fault.step(BEFORE);
        trust.checkServerTrusted(chain, authType, engine);
        fault.step(AFTER);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers()
    {
        return trust.getAcceptedIssuers();
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String authType) throws CertificateException
    {
        throw new CertificateException("only engines are supported");
    }

    @Override
    public void checkServerTrusted(final X509Certificate[] chain, final String authType, final Socket socket)
        throws CertificateException
    {
        throw new CertificateException("only engines are supported");
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String authType) throws CertificateException
    {
        throw new CertificateException("only clients are supported");
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String authType, final Socket socket)
        throws CertificateException
    {
        throw new CertificateException("only clients are supported");
    }

    @Override
    public void checkClientTrusted(final X509Certificate[] chain, final String authType, final SSLEngine engine)
        throws CertificateException
    {
        throw new CertificateException("only clients are supported");
    }
}
