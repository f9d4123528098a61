// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.tls;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.testkit.Identity;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * A server with the JDK's TLS that is at the other end of this socket, in memory. It sends what a test asks for, and
 * lets the test change the bytes on their way.
 */
final class TlsPeer implements PolledSocket
{
    private static final char[] PASSWORD = "none".toCharArray();
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

    final SSLEngine engine;
    final ByteArrayOutputStream received = new ByteArrayOutputStream();
    /** What is on its way to the client. */
    byte[] sent = {};
    /** The most bytes that one call receives or sends. */
    int chunkLength = Integer.MAX_VALUE;
    int sendRoom = Integer.MAX_VALUE;
    int lowWaterMark = 1;
    boolean isFinished;
    boolean isClosed;
    /** What the client sends is read and not answered. */
    boolean isMute;
    private ByteBuffer input = ByteBuffer.allocate(1 << 17).limit(0);
    private final ByteBuffer output = ByteBuffer.allocate(1 << 17);

    TlsPeer(final SSLEngine engine)
    {
        this.engine = engine;
    }

    static SSLContext context(final Identity identity)
    {
        try
        {
            final KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            keys.setKeyEntry("key", identity.key(), PASSWORD, identity.chain().toArray(new X509Certificate[0]));
            final KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, PASSWORD);
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), null, null);
            return context;
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    static SSLEngine server(final SSLContext context, final String protocol)
    {
        final SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setEnabledProtocols(new String[] {protocol});
        return engine;
    }

    /** Adds bytes as they are. */
    void inject(final byte... bytes)
    {
        final int length = sent.length;
        sent = Arrays.copyOf(sent, length + bytes.length);
        System.arraycopy(bytes, 0, sent, length, bytes.length);
    }

    /** Encrypts and adds bytes, in as many records as are needed. */
    void write(final byte[] plaintext) throws SSLException
    {
        final ByteBuffer source = ByteBuffer.wrap(plaintext);
        do
        {
            final SSLEngineResult result = wrap(source);
            if (source.hasRemaining() && result.bytesConsumed() == 0)
            {
                throw new SSLException("nothing can be sent: " + result);
            }
        }
        while (source.hasRemaining());
    }

    /** Asks for new keys in TLS 1.3, and for a new handshake in TLS 1.2. */
    void updateKeys() throws SSLException
    {
        engine.beginHandshake();
        wrap(NO_BYTES);
    }

    /** Announces that nothing more is sent. */
    void closeNotify() throws SSLException
    {
        engine.closeOutbound();
        wrap(NO_BYTES);
    }

    private SSLEngineResult wrap(final ByteBuffer source) throws SSLException
    {
        final SSLEngineResult result = engine.wrap(source, output.clear());
        output.flip();
        final byte[] bytes = new byte[output.remaining()];
        output.get(bytes);
        inject(bytes);
        return result;
    }

    /** Handles what the client has sent. */
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
                    isProgressing = wrap(NO_BYTES).bytesProduced() > 0;
                    break;
                default:
                    final ByteBuffer plaintext = ByteBuffer.allocate(1 << 15);
                    isProgressing = engine.unwrap(input, plaintext).bytesConsumed() > 0;
                    received.write(plaintext.array(), 0, plaintext.position());
            }
        }
    }

    @Override
    public boolean connect(final InetSocketAddress address)
    {
        return true;
    }

    @Override
    public boolean finishConnect()
    {
        return true;
    }

    @Override
    public int receive(final ByteBuffer buffer)
    {
        final int length = Math.min(Math.min(sent.length, buffer.remaining()), chunkLength);
        buffer.put(sent, 0, length);
        sent = Arrays.copyOfRange(sent, length, sent.length);
        return length == 0 && isFinished ? END_OF_STREAM : length;
    }

    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        final int length = Math.min(Math.min(buffer.remaining(), chunkLength), sendRoom);
        final ByteBuffer grown = ByteBuffer.allocate(input.remaining() + length).put(input);
        for (int i = 0; i < length; i++)
        {
            grown.put(buffer.get());
        }
        input = grown.flip();
        sendRoom -= length;
        if (isMute)
        {
            return length;
        }
        try
        {
            process();
        }
        catch (final SSLException ex)
        {
            wrapFailure();
        }
        return length;
    }

    /** Sends what there is to send, with the alert last. */
    private void wrapFailure() throws SSLException
    {
        while (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP &&
            wrap(NO_BYTES).bytesProduced() > 0)
        {
            isFinished = true;
        }
        isFinished = true;
    }

    @Override
    public void readInterest(final boolean on)
    {
    }

    @Override
    public void writeInterest(final boolean on)
    {
    }

    @Override
    public void receiveLowWaterMark(final int length)
    {
        lowWaterMark = length;
    }

    @Override
    public boolean isReady()
    {
        return sent.length > 0 || isFinished;
    }

    @Override
    public void clearReady()
    {
    }

    @Override
    public int receiveBufferLength()
    {
        return 0;
    }

    @Override
    public void close()
    {
        isClosed = true;
    }
}
