// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import org.odradek.testkit.internal.Identity;

import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;

/** TLS by an engine of the JDK. Its certificate may be any bytes; its handshake is otherwise right. */
public final class EngineTls implements ServerTls
{
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);
    private static final int BUFFER_LENGTH = 1 << 17;

    private final SSLEngine engine;
    private final ByteBuffer input = ByteBuffer.allocate(BUFFER_LENGTH).limit(0);
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ByteArrayOutputStream plaintext = new ByteArrayOutputStream();
    private boolean isFailed;

    /** @param protocol that the engine speaks, and no other. */
    public EngineTls(final SSLContext context, final String protocol)
    {
        this(server(context, protocol));
    }

    /** @param engine of a server. */
    public EngineTls(final SSLEngine engine)
    {
        this.engine = engine;
    }

    /** @param protocol that the engine speaks, and no other. */
    public static SSLEngine server(final SSLContext context, final String protocol)
    {
        final SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setEnabledProtocols(new String[] {protocol});
        return engine;
    }

    /**
     * Returns the context of a server.
     *
     * @param encoded is sent instead of the first certificate; null for what it is.
     */
    public static SSLContext context(final Identity identity, final byte[] encoded)
    {
        try
        {
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new OneKey(identity, encoded)}, new TrustManager[] {new AnyClient()}, null);
            return context;
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Requests a certificate, and accepts any, or none. */
    public EngineTls requestingCertificate()
    {
        engine.setWantClientAuth(true);
        return this;
    }

    /** The most bytes that a record has, as far as the engine can do it. */
    public EngineTls recordLength(final int length)
    {
        final SSLParameters parameters = engine.getSSLParameters();
        parameters.setMaximumPacketSize(length);
        engine.setSSLParameters(parameters);
        return this;
    }

    /** Announces that nothing more is sent. */
    public void closeNotify()
    {
        engine.closeOutbound();
        attempt(() -> wrap(NO_BYTES));
    }

    /** Whether the client has announced that it sends no more. */
    public boolean isClosedByClient()
    {
        return engine.isInboundDone();
    }

    public boolean isFailed()
    {
        return isFailed;
    }

    /** Asks for new keys in TLS 1.3, and for a new handshake in TLS 1.2. */
    public void updateKeys()
    {
        attempt(() ->
        {
            engine.beginHandshake();
            wrap(NO_BYTES);
        });
    }

    @Override
    public void receive(final byte[] bytes)
    {
        input.compact().put(bytes).flip();
        attempt(this::process);
    }

    @Override
    public void send(final byte[] bytes)
    {
        attempt(() ->
        {
            final ByteBuffer source = ByteBuffer.wrap(bytes);
            boolean isProgressing = true;
            while (isProgressing)
            {
                isProgressing = wrap(source) > 0 && source.hasRemaining();
            }
        });
    }

    /** After a failure only what is left is sent, the alert last. */
    private void attempt(final Step step)
    {
        try
        {
            if (!isFailed)
            {
                step.run();
            }
        }
        catch (final SSLException ex)
        {
            isFailed = true;
            try
            {
                boolean isProgressing = true;
                while (isProgressing)
                {
                    isProgressing =
                        wrap(NO_BYTES) > 0 && engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP;
                }
            }
            catch (final SSLException next)
            {
                // There is no alert.
                buffer.clear();
            }
        }
    }

    /** What an engine may fail in. */
    private interface Step
    {
        void run() throws SSLException;
    }

    private void process() throws SSLException
    {
        boolean isProgressing = true;
        while (isProgressing)
        {
            switch (engine.getHandshakeStatus())
            {
                case NEED_TASK:
                    engine.getDelegatedTask().run();
                    break;
                case NEED_WRAP:
                    isProgressing = wrap(NO_BYTES) > 0;
                    break;
                default:
                    final SSLEngineResult result = engine.unwrap(input, buffer.clear());
                    isProgressing = result.bytesConsumed() > 0;
                    plaintext.write(buffer.array(), 0, buffer.position());
            }
        }
    }

    private int wrap(final ByteBuffer source) throws SSLException
    {
        engine.wrap(source, buffer.clear());
        output.write(buffer.array(), 0, buffer.position());
        return buffer.position();
    }

    @Override
    public byte[] takeOutput()
    {
        return take(output);
    }

    @Override
    public byte[] takePlaintext()
    {
        return take(plaintext);
    }

    static byte[] take(final ByteArrayOutputStream stream)
    {
        final byte[] bytes = stream.toByteArray();
        stream.reset();
        return bytes;
    }

    /** Chooses the one key that there is. */
    private static final class OneKey extends X509ExtendedKeyManager
    {
        private static final String ALIAS = "key";

        private final PrivateKey key;
        private final X509Certificate[] chain;

        OneKey(final Identity identity, final byte[] encoded)
        {
            key = identity.key();
            chain = identity.chain().toArray(new X509Certificate[0]);
            if (encoded != null)
            {
                chain[0] = new EncodedCertificate(chain[0], encoded);
            }
        }

        @Override
        public String chooseEngineServerAlias(final String keyType, final Principal[] issuers, final SSLEngine engine)
        {
            return key.getAlgorithm().equals(keyType) ? ALIAS : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(final String alias)
        {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(final String alias)
        {
            return key;
        }

        @Override
        public String[] getServerAliases(final String keyType, final Principal[] issuers)
        {
            return new String[] {ALIAS};
        }

        @Override
        public String[] getClientAliases(final String keyType, final Principal[] issuers)
        {
            return null;
        }

        @Override
        public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket)
        {
            return ALIAS;
        }

        @Override
        public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket)
        {
            return null;
        }
    }
}
