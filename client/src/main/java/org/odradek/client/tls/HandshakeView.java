// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.nio.ByteBuffer;
import java.security.Principal;
import java.security.cert.Certificate;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;

/**
 * Presents a handshake of BoringSSL to a trust manager of the JDK, which reads the host, the protocol and the
 * parameters of the check from an SSLEngine.
 */
final class HandshakeView extends SSLEngine
{
    private static final String ENDPOINT_ALGORITHM = "HTTPS";
    /**
     * The signature algorithms that are accepted in certificates; with an empty array, the JDK would refuse every
     * certificate.
     */
    private static final String[] SIGNATURE_ALGORITHMS =
    {
        "SHA256withECDSA", "SHA384withECDSA", "SHA512withECDSA", "Ed25519", "EdDSA", "RSASSA-PSS",
        "SHA256withRSA", "SHA384withRSA", "SHA512withRSA",
    };

    private final boolean isHostVerified;
    private final Session session;

    HandshakeView(final String host, final int port, final String protocol, final boolean isHostVerified)
    {
        super(host, port);
        this.isHostVerified = isHostVerified;
        session = new Session(host, port, protocol);
    }

    @Override
    public SSLSession getHandshakeSession()
    {
        return session;
    }

    @Override
    public SSLSession getSession()
    {
        return session;
    }

    @Override
    public SSLParameters getSSLParameters()
    {
        final SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm(isHostVerified ? ENDPOINT_ALGORITHM : "");
        return parameters;
    }

    @Override
    public boolean getUseClientMode()
    {
        return true;
    }

    private static UnsupportedOperationException unsupported()
    {
        return new UnsupportedOperationException("The trust manager asks for more than the handshake of BoringSSL " +
            "shows; set the TLS provider to JDK.");
    }

    @Override
    public SSLEngineResult wrap(final ByteBuffer[] sources, final int index, final int length, final ByteBuffer output)
    {
        throw unsupported();
    }

    @Override
    public SSLEngineResult unwrap(
        final ByteBuffer input, final ByteBuffer[] destinations, final int index, final int length)
    {
        throw unsupported();
    }

    @Override
    public Runnable getDelegatedTask()
    {
        throw unsupported();
    }

    @Override
    public void closeInbound()
    {
        throw unsupported();
    }

    @Override
    public boolean isInboundDone()
    {
        throw unsupported();
    }

    @Override
    public void closeOutbound()
    {
        throw unsupported();
    }

    @Override
    public boolean isOutboundDone()
    {
        throw unsupported();
    }

    @Override
    public String[] getSupportedCipherSuites()
    {
        throw unsupported();
    }

    @Override
    public String[] getEnabledCipherSuites()
    {
        throw unsupported();
    }

    @Override
    public void setEnabledCipherSuites(final String[] suites)
    {
        throw unsupported();
    }

    @Override
    public String[] getSupportedProtocols()
    {
        throw unsupported();
    }

    @Override
    public String[] getEnabledProtocols()
    {
        throw unsupported();
    }

    @Override
    public void setEnabledProtocols(final String[] protocols)
    {
        throw unsupported();
    }

    @Override
    public void beginHandshake()
    {
        throw unsupported();
    }

    @Override
    public SSLEngineResult.HandshakeStatus getHandshakeStatus()
    {
        throw unsupported();
    }

    @Override
    public void setUseClientMode(final boolean mode)
    {
        throw unsupported();
    }

    @Override
    public void setNeedClientAuth(final boolean need)
    {
        throw unsupported();
    }

    @Override
    public boolean getNeedClientAuth()
    {
        throw unsupported();
    }

    @Override
    public void setWantClientAuth(final boolean want)
    {
        throw unsupported();
    }

    @Override
    public boolean getWantClientAuth()
    {
        throw unsupported();
    }

    @Override
    public void setEnableSessionCreation(final boolean flag)
    {
        throw unsupported();
    }

    @Override
    public boolean getEnableSessionCreation()
    {
        throw unsupported();
    }

    private static final class Session extends ExtendedSSLSession
    {
        private final String host;
        private final int port;
        private final String protocol;

        Session(final String host, final int port, final String protocol)
        {
            this.host = host;
            this.port = port;
            this.protocol = protocol;
        }

        @Override
        public String getPeerHost()
        {
            return host;
        }

        @Override
        public int getPeerPort()
        {
            return port;
        }

        @Override
        public String getProtocol()
        {
            return protocol;
        }

        @Override
        public String[] getLocalSupportedSignatureAlgorithms()
        {
            return SIGNATURE_ALGORITHMS.clone();
        }

        @Override
        public String[] getPeerSupportedSignatureAlgorithms()
        {
            return SIGNATURE_ALGORITHMS.clone();
        }

        @Override
        public List<SNIServerName> getRequestedServerNames()
        {
            return List.of();
        }

        @Override
        public List<byte[]> getStatusResponses()
        {
            return List.of();
        }

        @Override
        public boolean isValid()
        {
            return true;
        }

        @Override
        public byte[] getId()
        {
            throw unsupported();
        }

        @Override
        public SSLSessionContext getSessionContext()
        {
            throw unsupported();
        }

        @Override
        public long getCreationTime()
        {
            throw unsupported();
        }

        @Override
        public long getLastAccessedTime()
        {
            throw unsupported();
        }

        @Override
        public void invalidate()
        {
            throw unsupported();
        }

        @Override
        public void putValue(final String name, final Object value)
        {
            throw unsupported();
        }

        @Override
        public Object getValue(final String name)
        {
            throw unsupported();
        }

        @Override
        public void removeValue(final String name)
        {
            throw unsupported();
        }

        @Override
        public String[] getValueNames()
        {
            throw unsupported();
        }

        @Override
        public Certificate[] getPeerCertificates()
        {
            throw unsupported();
        }

        @Override
        public Certificate[] getLocalCertificates()
        {
            throw unsupported();
        }

        @Override
        public Principal getPeerPrincipal()
        {
            throw unsupported();
        }

        @Override
        public Principal getLocalPrincipal()
        {
            throw unsupported();
        }

        @Override
        public String getCipherSuite()
        {
            throw unsupported();
        }

        @Override
        public int getPacketBufferSize()
        {
            throw unsupported();
        }

        @Override
        public int getApplicationBufferSize()
        {
            throw unsupported();
        }
    }
}
