// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.TlsMaterial;
import org.odradek.client.security.TlsSettings;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;

/** Provides TLS by the JDK's SSLEngine. */
final class JdkTls implements TlsProvider
{
    /** The name of the session value with the verifier that has accepted the certificate of the peer. */
    private static final String ACCEPTED_BY = "org.odradek.accepted-by";

    private static final List<String> TLS_1_3_SUITES =
        List.of("TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256");

    private final TlsSettings settings;
    /** The list is empty if the JDK chooses the suites. */
    private final List<String> cipherSuites;
    private final SSLContext context;
    /**
     * This field and {@link #keys} are null if the settings have an SSLContext, which then checks certificates itself.
     */
    private final PeerVerifier verifier;
    private final RequestedKeys keys;

    /**
     * @param material    certificates and key; not used if the settings have an SSLContext.
     * @param refusedKeys null to accept all keys; otherwise only keys that BoringSSL refuses are accepted.
     */
    JdkTls(
        final TlsSettings settings,
        final TlsMaterial material,
        final CounterWriter counters,
        final RefusedKeys refusedKeys) throws GeneralSecurityException
    {
        this.settings = settings;
        cipherSuites = refusedKeys == null ? settings.cipherSuites() : suitesOfBoringSsl(settings.cipherSuites());
        if (settings.sslContext() != null)
        {
            context = settings.sslContext();
            verifier = null;
            keys = null;
            return;
        }
        verifier = new PeerVerifier(material.trustManager(), counters, refusedKeys);
        context = settings.jdkProvider() == null ?
            SSLContext.getInstance("TLS") : SSLContext.getInstance("TLS", settings.jdkProvider());
        keys = new RequestedKeys(material.keyManager());
        context.init(new KeyManager[] {keys}, new TrustManager[] {verifier}, null);
    }

    private static List<String> suitesOfBoringSsl(final List<String> chosen)
    {
        if (!chosen.isEmpty())
        {
            return chosen;
        }
        final List<String> suites = new ArrayList<>(TLS_1_3_SUITES);
        suites.addAll(TLS_1_2_SUITES);
        return suites;
    }

    @Override
    public TlsEngine newEngine(final String host, final int port)
    {
        final SSLEngine engine = context.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        final SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(settings.verifyHost() ? "HTTPS" : "");
        parameters.setProtocols(settings.protocols().toArray(new String[0]));
        if (!cipherSuites.isEmpty())
        {
            parameters.setCipherSuites(cipherSuites.toArray(new String[0]));
        }
        engine.setSSLParameters(parameters);
        return new Engine(engine);
    }

    @Override
    public void close()
    {
    }

    /** If the destination has no room for a record, the record is decrypted into other memory and copied. */
    private final class Engine implements TlsEngine
    {
        private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

        private final SSLEngine engine;
        private ByteBuffer spilled;
        private boolean isFinished;
        private boolean isClosedByPeer;
        private boolean isCertificateRequested;
        private X509Certificate accepted;

        Engine(final SSLEngine engine)
        {
            this.engine = engine;
            spilled = ByteBuffer.allocateDirect(engine.getSession().getApplicationBufferSize()).limit(0);
        }

        @Override
        public boolean handshake(final ByteBuffer input, final ByteBuffer output) throws SSLException
        {
            if (engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING)
            {
                engine.beginHandshake();
            }
            while (true)
            {
                final HandshakeStatus step = engine.getHandshakeStatus();
                if (step == HandshakeStatus.NEED_TASK)
                {
                    runTasks();
                }
                else if (step != HandshakeStatus.NEED_WRAP && step != HandshakeStatus.NEED_UNWRAP)
                {
                    checkPeer();
                    return true;
                }
                else if (!onStep(step, advance(step, input, output)))
                {
                    return false;
                }
            }
        }

        private SSLEngineResult advance(final HandshakeStatus step, final ByteBuffer input, final ByteBuffer output)
            throws SSLException
        {
            beginCheck();
            final SSLEngineResult result =
                step == HandshakeStatus.NEED_WRAP ? engine.wrap(NO_BYTES, output) : unwrapSpilled(input);
            endCheck();
            return result;
        }

        /** @return false if the engine first needs more input or more room. */
        private boolean onStep(final HandshakeStatus step, final SSLEngineResult result) throws SSLException
        {
            isFinished |= result.getHandshakeStatus() == HandshakeStatus.FINISHED;
            if (result.getStatus() == SSLEngineResult.Status.CLOSED)
            {
                throw TlsErrors.failure("the broker ended TLS in the middle of the handshake");
            }
            if (isWithoutProgress(result) && engine.getHandshakeStatus() == step)
            {
                throw TlsErrors.stuck(step.name());
            }
            return result.getStatus() == SSLEngineResult.Status.OK;
        }

        private static boolean isWithoutProgress(final SSLEngineResult result)
        {
            return result.getStatus() == SSLEngineResult.Status.OK &&
                result.bytesConsumed() == 0 && result.bytesProduced() == 0;
        }

        private void runTasks() throws SSLException
        {
            Runnable task = engine.getDelegatedTask();
            while (task != null)
            {
                run(task);
                task = engine.getDelegatedTask();
            }
            if (engine.getHandshakeStatus() == HandshakeStatus.NEED_TASK)
            {
                throw TlsErrors.stuck(HandshakeStatus.NEED_TASK.name());
            }
        }

        private void run(final Runnable task)
        {
            beginCheck();
            task.run();
            endCheck();
        }

        /** Forgets earlier results, because all connections of a client share one verifier and one source of keys. */
        private void beginCheck()
        {
            if (verifier != null)
            {
                verifier.forget();
                keys.forget();
            }
        }

        private void endCheck()
        {
            if (verifier != null)
            {
                accepted = verifier.accepted != null ? verifier.accepted : accepted;
                isCertificateRequested |= keys.isRequested;
            }
        }

        /**
         * Checks that the certificate of the peer was accepted, in this handshake or in the handshake whose session was
         * resumed. An SSLContext of the user does its own check, so only the presence of a certificate is checked then.
         */
        private void checkPeer() throws SSLException
        {
            final SSLSession session = engine.getSession();
            final Certificate[] chain = session.getPeerCertificates();
            if (!isFinished || chain.length == 0)
            {
                throw TlsErrors.peerNotVerified();
            }
            if (verifier == null)
            {
                return;
            }
            if (chain[0].equals(accepted))
            {
                session.putValue(ACCEPTED_BY, verifier);
            }
            else if (session.getValue(ACCEPTED_BY) != verifier)
            {
                session.invalidate();
                throw TlsErrors.peerNotVerified();
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
            while (unspill(destination) && input.hasRemaining())
            {
                SSLEngineResult result = engine.unwrap(input, destination);
                if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW)
                {
                    result = unwrapSpilled(input);
                }
                if (isWithoutProgress(result) || result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW)
                {
                    throw TlsErrors.stuck("decrypt");
                }
                if (onDecrypted(result))
                {
                    return;
                }
            }
        }

        /** @return true if nothing more can be decrypted now. */
        private boolean onDecrypted(final SSLEngineResult result) throws SSLException
        {
            isClosedByPeer |= result.getStatus() == SSLEngineResult.Status.CLOSED;
            final HandshakeStatus status = result.getHandshakeStatus();
            if (status != HandshakeStatus.NOT_HANDSHAKING &&
                status != HandshakeStatus.FINISHED && !isClosedByPeer)
            {
                if (!isTls13())
                {
                    throw TlsErrors.renegotiation();
                }
                runTasks();
            }
            return result.getStatus() != SSLEngineResult.Status.OK;
        }

        /** @return true if no spilled plaintext is left and the destination has room. */
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
            return TLS_1_3.equals(engine.getSession().getProtocol());
        }

        @Override
        public boolean isClosedByPeer()
        {
            return isClosedByPeer && !spilled.hasRemaining();
        }

        @Override
        public boolean isCertificateRequested()
        {
            return keys == null ? engine.getSession().getLocalCertificates() != null : isCertificateRequested;
        }

        @Override
        public int encrypt(final ByteBuffer source, final ByteBuffer output) throws SSLException
        {
            final int start = source.position();
            try
            {
                while (source.position() == start && source.hasRemaining())
                {
                    final SSLEngineResult result = engine.wrap(source, output);
                    if (result.getStatus() != SSLEngineResult.Status.OK || isWithoutProgress(result))
                    {
                        throw TlsErrors.failure("TLS can send no more on this connection");
                    }
                }
                return source.position() - start;
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
                    result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP);
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
            if (spilled != NO_BYTES)
            {
                DirectMemory.free(spilled);
                spilled = NO_BYTES;
            }
        }
    }
}
