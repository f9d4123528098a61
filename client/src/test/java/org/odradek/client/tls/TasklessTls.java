// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.Provider;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A security provider whose engines have no tasks: like those of Bouncy Castle and Conscrypt, they check certificates
 * while they wrap and unwrap. The work is the JDK's.
 */
public final class TasklessTls extends Provider
{
    static final String NAME = "Taskless";
    private static final long serialVersionUID = 1;

    TasklessTls()
    {
        super(NAME, "1", "engines without tasks");
        put("SSLContext.TLS", Context.class.getName());
    }

    /** Created by the JDK. */
    public static final class Context extends SSLContextSpi
    {
        private final SSLContext context;

        /** Begins with the JDK's context. */
        public Context() throws GeneralSecurityException
        {
            context = SSLContext.getInstance("TLS", "SunJSSE");
        }

        @Override
        protected void engineInit(final KeyManager[] keys, final TrustManager[] trust, final SecureRandom random)
            throws KeyManagementException
        {
            context.init(keys, trust, random);
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(final String host, final int port)
        {
            return new Engine(context.createSSLEngine(host, port));
        }

        @Override
        protected SSLEngine engineCreateSSLEngine()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext()
        {
            return context.getServerSessionContext();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext()
        {
            return context.getClientSessionContext();
        }
    }

    private static final class Engine extends SSLEngine
    {
        private final SSLEngine engine;

        private Engine(final SSLEngine engine)
        {
            this.engine = engine;
        }

        private SSLEngineResult worked(final SSLEngineResult result)
        {
            while (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK)
            {
                engine.getDelegatedTask().run();
            }
            return new SSLEngineResult(result.getStatus(),
                result.getHandshakeStatus() == HandshakeStatus.NEED_TASK ?
                    engine.getHandshakeStatus() : result.getHandshakeStatus(),
                result.bytesConsumed(), result.bytesProduced());
        }

        @Override
        public SSLEngineResult wrap(
            final ByteBuffer[] sources, final int offset, final int length, final ByteBuffer destination)
            throws SSLException
        {
            return worked(engine.wrap(sources, offset, length, destination));
        }

        @Override
        public SSLEngineResult unwrap(
            final ByteBuffer source, final ByteBuffer[] destinations, final int offset, final int length)
            throws SSLException
        {
            return worked(engine.unwrap(source, destinations, offset, length));
        }

        @Override
        public Runnable getDelegatedTask()
        {
            return null;
        }

        @Override
        public HandshakeStatus getHandshakeStatus()
        {
            return engine.getHandshakeStatus();
        }

        @Override
        public void beginHandshake() throws SSLException
        {
            engine.beginHandshake();
        }

        @Override
        public SSLSession getSession()
        {
            return engine.getSession();
        }

        @Override
        public SSLSession getHandshakeSession()
        {
            return engine.getHandshakeSession();
        }

        @Override
        public SSLParameters getSSLParameters()
        {
            return engine.getSSLParameters();
        }

        @Override
        public void setSSLParameters(final SSLParameters parameters)
        {
            engine.setSSLParameters(parameters);
        }

        @Override
        public void setUseClientMode(final boolean isClient)
        {
            engine.setUseClientMode(isClient);
        }

        @Override
        public boolean getUseClientMode()
        {
            return engine.getUseClientMode();
        }

        @Override
        public void closeInbound() throws SSLException
        {
            engine.closeInbound();
        }

        @Override
        public boolean isInboundDone()
        {
            return engine.isInboundDone();
        }

        @Override
        public void closeOutbound()
        {
            engine.closeOutbound();
        }

        @Override
        public boolean isOutboundDone()
        {
            return engine.isOutboundDone();
        }

        @Override
        public String[] getSupportedCipherSuites()
        {
            return engine.getSupportedCipherSuites();
        }

        @Override
        public String[] getEnabledCipherSuites()
        {
            return engine.getEnabledCipherSuites();
        }

        @Override
        public void setEnabledCipherSuites(final String[] suites)
        {
            engine.setEnabledCipherSuites(suites);
        }

        @Override
        public String[] getSupportedProtocols()
        {
            return engine.getSupportedProtocols();
        }

        @Override
        public String[] getEnabledProtocols()
        {
            return engine.getEnabledProtocols();
        }

        @Override
        public void setEnabledProtocols(final String[] protocols)
        {
            engine.setEnabledProtocols(protocols);
        }

        @Override
        public void setNeedClientAuth(final boolean isNeeded)
        {
            engine.setNeedClientAuth(isNeeded);
        }

        @Override
        public boolean getNeedClientAuth()
        {
            return engine.getNeedClientAuth();
        }

        @Override
        public void setWantClientAuth(final boolean isWanted)
        {
            engine.setWantClientAuth(isWanted);
        }

        @Override
        public boolean getWantClientAuth()
        {
            return engine.getWantClientAuth();
        }

        @Override
        public void setEnableSessionCreation(final boolean isEnabled)
        {
            engine.setEnableSessionCreation(isEnabled);
        }

        @Override
        public boolean getEnableSessionCreation()
        {
            return engine.getEnableSessionCreation();
        }
    }
}
