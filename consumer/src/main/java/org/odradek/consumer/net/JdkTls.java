// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.security.TlsMaterial;
import org.odradek.consumer.security.TlsSettings;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * TLS by the SSLEngine of the JDK. It works everywhere, and allocates 1.4 to 3.5 KB for each TLS record.
 */
final class JdkTls implements TlsProvider
{
    private final TlsSettings settings;
    private final SSLContext context;

    /** @param material that the stores hold; not used if the settings have a context. */
    JdkTls(final TlsSettings settings, final TlsMaterial material, final CounterWriter counters)
        throws GeneralSecurityException
    {
        this.settings = settings;
        if (settings.sslContext() != null)
        {
            context = settings.sslContext();
            return;
        }
        context = settings.jdkProvider() == null ?
            SSLContext.getInstance("TLS") : SSLContext.getInstance("TLS", settings.jdkProvider());
        context.init(material.keyManager() == null ? null : new KeyManager[] {material.keyManager()},
            new TrustManager[] {new PeerVerifier(material.trustManager(), counters)}, null);
    }

    @Override
    public TlsEngine newEngine(final String host, final int port)
    {
        final SSLEngine engine = context.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        final SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(settings.isHostVerified() ? "HTTPS" : "");
        parameters.setProtocols(settings.protocols().toArray(new String[0]));
        if (!settings.cipherSuites().isEmpty())
        {
            parameters.setCipherSuites(settings.cipherSuites().toArray(new String[0]));
        }
        engine.setSSLParameters(parameters);
        return new Engine(engine);
    }

    @Override
    public void close()
    {
    }

    /** One connection. What the destination has no room for is decrypted into memory of its own, and copied. */
    private static final class Engine implements TlsEngine
    {
        private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

        private final SSLEngine engine;
        private ByteBuffer spilled;
        private boolean isClosedByPeer;
        private boolean isFreed;

        Engine(final SSLEngine engine)
        {
            this.engine = engine;
            spilled = ByteBuffer.allocateDirect(engine.getSession().getApplicationBufferSize()).limit(0);
        }

        @Override
        public boolean handshake(final ByteBuffer input, final ByteBuffer output) throws SSLException
        {
            try
            {
                return continueHandshake(input, output);
            }
            catch (final SSLException ex)
            {
                throw TlsErrors.translated(ex);
            }
        }

        private boolean continueHandshake(final ByteBuffer input, final ByteBuffer output) throws SSLException
        {
            if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING)
            {
                engine.beginHandshake();
            }
            while (true)
            {
                switch (engine.getHandshakeStatus())
                {
                    case NEED_TASK:
                        runTasks();
                        break;
                    case NEED_WRAP:
                        if (engine.wrap(NO_BYTES, output).getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW)
                        {
                            return false;
                        }
                        break;
                    case NEED_UNWRAP:
                        final SSLEngineResult result = unwrapSpilled(input);
                        if (result.getStatus() == SSLEngineResult.Status.CLOSED)
                        {
                            throw TlsErrors.endedInHandshake();
                        }
                        if (result.getStatus() != SSLEngineResult.Status.OK)
                        {
                            return false;
                        }
                        break;
                    default:
                        return true;
                }
            }
        }

        private void runTasks()
        {
            for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask())
            {
                task.run();
            }
        }

        private SSLEngineResult unwrapSpilled(final ByteBuffer input) throws SSLException
        {
            spilled.clear();
            try
            {
                return engine.unwrap(input, spilled);
            }
            finally
            {
                spilled.flip();
            }
        }

        @Override
        public void decrypt(final ByteBuffer input, final ByteBuffer destination) throws SSLException
        {
            try
            {
                while (unspill(destination) && input.hasRemaining())
                {
                    SSLEngineResult result = engine.unwrap(input, destination);
                    if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW)
                    {
                        result = unwrapSpilled(input);
                    }
                    if (isLast(result))
                    {
                        return;
                    }
                }
            }
            catch (final SSLException ex)
            {
                throw TlsErrors.translated(ex);
            }
        }

        private boolean isLast(final SSLEngineResult result) throws SSLException
        {
            isClosedByPeer |= result.getStatus() == SSLEngineResult.Status.CLOSED;
            final SSLEngineResult.HandshakeStatus status = result.getHandshakeStatus();
            if (status != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING &&
                status != SSLEngineResult.HandshakeStatus.FINISHED && !isClosedByPeer)
            {
                if (!isTls13())
                {
                    throw TlsErrors.renegotiation();
                }
                runTasks();
            }
            return result.getStatus() != SSLEngineResult.Status.OK;
        }

        /** Returns true if nothing is left of what was spilled, and the destination has room. */
        private boolean unspill(final ByteBuffer destination)
        {
            if (spilled.hasRemaining())
            {
                final int length = Math.min(spilled.remaining(), destination.remaining());
                destination.put(destination.position(), spilled, spilled.position(), length);
                destination.position(destination.position() + length);
                spilled.position(spilled.position() + length);
            }
            return destination.hasRemaining();
        }

        @Override
        public boolean isTls13()
        {
            return TlsProvider.isTls13(engine.getSession().getProtocol());
        }

        @Override
        public boolean isClosedByPeer()
        {
            return isClosedByPeer && !spilled.hasRemaining();
        }

        @Override
        public boolean isCertificateRequested()
        {
            return engine.getSession().getLocalCertificates() != null;
        }

        @Override
        public int encrypt(final ByteBuffer source, final ByteBuffer output) throws SSLException
        {
            final int start = source.position();
            try
            {
                while (source.position() == start && source.hasRemaining())
                {
                    if (engine.wrap(source, output).getStatus() != SSLEngineResult.Status.OK)
                    {
                        throw TlsErrors.cannotSend();
                    }
                }
                return source.position() - start;
            }
            catch (final SSLException ex)
            {
                throw TlsErrors.translated(ex);
            }
            finally
            {
                source.position(start);
            }
        }

        @Override
        public void takeOutput(final ByteBuffer output, final boolean isClosing)
        {
            if (isClosing)
            {
                engine.closeOutbound();
            }
            try
            {
                SSLEngineResult result;
                do
                {
                    result = engine.wrap(NO_BYTES, output);
                }
                while (result.bytesProduced() > 0 &&
                    result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP);
            }
            catch (final SSLException ex)
            {
                // The engine has nothing more to send.
                output.flip().limit(output.capacity());
            }
        }

        @Override
        public void free()
        {
            if (!isFreed)
            {
                isFreed = true;
                DirectMemory.free(spilled);
                spilled = NO_BYTES;
            }
        }
    }
}
