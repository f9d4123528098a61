// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientCounters;
import org.odradek.client.PolledSocket;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.FatalErrors;
import org.odradek.client.core.MemoryBudget;
import org.odradek.protocol.DirectMemory;
import org.odradek.protocol.PrintableText;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLException;

/**
 * Encrypts and decrypts the bytes that another socket sends and receives. The socket is connected when the TLS
 * handshake is complete.
 * <p>
 * After an exception, each later call that connects, receives, sends or closes the sending side throws an exception.
 * <p>
 * Any thread may call {@link #close()}, but not while another thread is inside a method of the socket.
 */
final class TlsSocket implements PolledSocket
{
    private static final int INPUT_LENGTH = 1 << 16;
    private static final int OUTPUT_LENGTH = 1 << 15;
    /** The direct memory that is counted for the engine, in bytes. */
    private static final int ENGINE_LENGTH = 40 << 10;
    static final int LENGTH = INPUT_LENGTH + OUTPUT_LENGTH + ENGINE_LENGTH;
    private static final int MAX_HANDSHAKE_LENGTH = 1 << 18;
    /** The maximum of {@link #overhead} after the handshake, in bytes. */
    private static final int MAX_OVERHEAD = 1 << 16;
    /** The number of encrypted bytes for which one byte of plaintext is enough. */
    private static final int MAX_EXPANSION = 32;
    /** The number of bytes that TLS 1.3 adds to the plaintext of a record: header, type and tag. */
    private static final int TLS_1_3_OVERHEAD = 22;
    /** The maximum length of a record in bytes: the header, the plaintext, and the overhead that TLS 1.2 allows. */
    private static final int MAX_RECORD_LENGTH = 5 + TlsEngine.MAX_PLAINTEXT + 2_048;
    private static final int MIN_CONTENT_TYPE = 20;
    private static final int MAX_CONTENT_TYPE = 23;

    private boolean isConnected;
    /** True if the client's side of the handshake is complete; its last bytes may not have been sent yet. */
    private boolean isHandshakeDone;
    private boolean isEstablished;
    /** True if a call has not ended regularly, or is in progress. */
    private boolean isFailed;
    private boolean isClosed;
    private boolean isClosedByPeer;
    private boolean isCertificateRequested;
    /** True if the last receive filled its destination, so that the engine may hold more plaintext. */
    private boolean isHolding;
    private boolean hasReceivedPlaintext;
    private boolean isTls13;
    private int unsentPlaintext;
    /**
     * The number of bytes received in the handshake; after the handshake, the number of decrypted bytes without enough
     * plaintext.
     */
    private int overhead;
    private final PolledSocket inner;
    private TlsEngine engine;
    private final TlsProvider provider;
    /** Null until the socket connects. */
    private ByteBuffer memory;
    private ByteBuffer input;
    private ByteBuffer output;
    private final MemoryBudget budget;
    private final CounterWriter counters;

    TlsSocket(
        final PolledSocket inner, final TlsProvider provider, final MemoryBudget budget, final CounterWriter counters)
    {
        this.inner = inner;
        this.provider = provider;
        this.budget = budget;
        this.counters = counters;
    }

    /**
     * @param address address with the host name that TLS checks.
     * @throws IOException if the connection fails, or if the JVM has too little direct memory left for it.
     */
    @Override
    public boolean connect(final InetSocketAddress address) throws IOException
    {
        begin();
        allocate();
        engine = provider.newEngine(address.getHostString(), address.getPort());
        isConnected = inner.connect(address);
        isFailed = false;
        assert isConsistent();
        return isConnected && finishConnect();
    }

    private void allocate() throws IOException
    {
        if (!budget.findRoom(LENGTH))
        {
            throw new IOException("the JVM has too little direct memory left for TLS, which needs " + LENGTH +
                " bytes for each connection");
        }
        memory = budget.allocate(INPUT_LENGTH + OUTPUT_LENGTH);
        input = memory.slice(0, INPUT_LENGTH).limit(0);
        output = memory.slice(INPUT_LENGTH, OUTPUT_LENGTH).limit(0);
        budget.hold(ENGINE_LENGTH);
    }

    @Override
    public boolean finishConnect() throws IOException
    {
        begin();
        isConnected = isConnected || inner.finishConnect();
        isEstablished = isEstablished || isConnected && handshake();
        isFailed = false;
        assert isConsistent();
        return isEstablished;
    }

    private void begin() throws IOException
    {
        if (isClosed)
        {
            throw new ClosedChannelException();
        }
        if (isFailed)
        {
            throw new SSLException(
                "TLS has failed on this connection, so nothing more is sent or received on it");
        }
        isFailed = true;
    }

    private boolean handshake() throws IOException
    {
        inner.readInterest(true);
        final long startNs = System.nanoTime();
        try
        {
            return continueHandshake();
        }
        finally
        {
            counters.add(ClientCounters.TLS_HANDSHAKE_NS, System.nanoTime() - startNs);
        }
    }

    private boolean continueHandshake() throws IOException
    {
        while (flushOutput())
        {
            if (isHandshakeDone)
            {
                overhead = 0;
                counters.add(ClientCounters.TLS_HANDSHAKES, 1);
                provider.report();
                return true;
            }
            advanceHandshake();
            if (!isHandshakeDone && !output.hasRemaining() && !receiveHandshake())
            {
                return false;
            }
        }
        return false;
    }

    private void advanceHandshake() throws IOException
    {
        try
        {
            output.clear();
            isHandshakeDone = engine.handshake(input, output);
            output.flip();
            isTls13 = isHandshakeDone && engine.isTls13();
            isCertificateRequested = isHandshakeDone && engine.isCertificateRequested();
        }
        catch (final Throwable ex)
        {
            throw failedWriting(ex);
        }
    }

    private boolean receiveHandshake() throws IOException
    {
        final boolean isFirst = overhead == 0;
        final int bytes = receiveInput();
        if (bytes < 0)
        {
            // This is not an SSLException, because a broker that is stopping also closes connections.
            throw failed(new EOFException(TlsErrors.closed(isFirst)));
        }
        overhead += bytes;
        if (overhead > MAX_HANDSHAKE_LENGTH)
        {
            throw tooMuchOverhead();
        }
        if (bytes > 0 && isFirst && (input.get(0) < MIN_CONTENT_TYPE || input.get(0) > MAX_CONTENT_TYPE))
        {
            throw failed(TlsErrors.failure("the port does not expect TLS: its answer begins with byte " +
                (input.get(0) & 0xFF) + ", which begins no TLS record; use the port of a listener with SSL or " +
                "SASL_SSL"));
        }
        inspect(bytes);
        return bytes > 0;
    }

    private void inspect(final int bytes) throws IOException
    {
        try
        {
            engine.inspect(input, input.limit() - bytes);
        }
        catch (final Throwable ex)
        {
            throw failed(ex);
        }
    }

    /** @return true if no bytes of the engine are left to send. */
    private boolean flushOutput() throws IOException
    {
        if (output.hasRemaining())
        {
            sendOutput();
            inner.writeInterest(output.hasRemaining());
        }
        return !output.hasRemaining();
    }

    private void sendOutput() throws IOException
    {
        try
        {
            inner.send(output);
        }
        catch (final IOException ex)
        {
            throw broken(ex);
        }
    }

    private int receiveInput() throws IOException
    {
        try
        {
            return inner.receive(input.compact());
        }
        catch (final IOException ex)
        {
            throw broken(ex);
        }
        finally
        {
            input.flip();
        }
    }

    private IOException broken(final IOException ex)
    {
        return !isEstablished ? failed(TlsErrors.brokenInHandshake(overhead == 0, ex)) :
            isCertificateInDoubt() ? failed(TlsErrors.certificateRefused(ex)) : ex;
    }

    @Override
    public int receive(final ByteBuffer buffer) throws IOException
    {
        begin();
        final int bytes = buffer.hasRemaining() ? decrypt(buffer) : NOTHING;
        hasReceivedPlaintext |= bytes > 0;
        isFailed = false;
        assert isConsistent();
        return bytes;
    }

    private int decrypt(final ByteBuffer buffer) throws IOException
    {
        final int start = buffer.position();
        boolean isDrained = false;
        int bytes = 1;
        if (isHolding || input.hasRemaining())
        {
            decryptInput(buffer);
        }
        while (buffer.hasRemaining() && !isClosedByPeer && !isDrained)
        {
            bytes = receiveInput();
            if (bytes <= 0)
            {
                break;
            }
            // A read that does not fill the buffer has taken all bytes that the system had, so another read would find
            // none.
            isDrained = input.limit() < input.capacity();
            decryptInput(buffer);
        }
        isHolding = !buffer.hasRemaining();
        final int plaintext = buffer.position() - start;
        if (plaintext > 0)
        {
            return plaintext;
        }
        if (isDrained)
        {
            inner.clearReady();
        }
        if (!isClosedByPeer && bytes >= 0)
        {
            return NOTHING;
        }
        if (isCertificateInDoubt())
        {
            throw failed(TlsErrors.certificateRefused(null));
        }
        return END_OF_STREAM;
    }

    private void decryptInput(final ByteBuffer buffer) throws IOException
    {
        final int start = buffer.position();
        final int inputStart = input.position();
        try
        {
            engine.decrypt(input, buffer);
            isClosedByPeer = engine.isClosedByPeer();
        }
        catch (final Throwable ex)
        {
            throw failed(ex);
        }
        overhead = (int)Math.max(
            0, overhead + input.position() - inputStart - (long)MAX_EXPANSION * (buffer.position() - start));
        if (overhead > MAX_OVERHEAD)
        {
            throw tooMuchOverhead();
        }
    }

    /**
     * Returns true if the end of the connection may mean that the broker refuses the client's certificate. In TLS 1.3 a
     * broker refuses it only after the client's side of the handshake is complete, and the alert may be lost when the
     * broker then closes the connection.
     */
    private boolean isCertificateInDoubt()
    {
        return isTls13 && isCertificateRequested && !hasReceivedPlaintext && !isClosedByPeer;
    }

    /** The position of the buffer advances by the records that were sent completely. */
    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        begin();
        int bytes = 0;
        boolean isSent = true;
        while (buffer.hasRemaining() && isSent)
        {
            if (!output.hasRemaining())
            {
                encrypt(buffer);
            }
            sendOutput();
            isSent = !output.hasRemaining();
            if (isSent)
            {
                buffer.position(buffer.position() + unsentPlaintext);
                bytes += unsentPlaintext;
                unsentPlaintext = 0;
            }
        }
        isFailed = false;
        assert isConsistent();
        return bytes;
    }

    private void encrypt(final ByteBuffer buffer) throws IOException
    {
        try
        {
            output.clear();
            unsentPlaintext = engine.encrypt(buffer, output);
            output.flip();
        }
        catch (final Throwable ex)
        {
            throw failedWriting(ex);
        }
        if (isTls13 && output.remaining() > unsentPlaintext + TLS_1_3_OVERHEAD)
        {
            // The output also contains the answer to a key update.
            counters.add(ClientCounters.TLS_KEY_UPDATES, 1);
        }
    }

    private IOException failedWriting(final Throwable ex)
    {
        output.flip();
        return failed(ex);
    }

    private IOException failed(final Throwable ex)
    {
        FatalErrors.rethrow(ex);
        final IOException failure = ex instanceof SSLException tls ? TlsErrors.translated(tls) :
            ex instanceof IOException known ? known :
            new SSLException("TLS failed with " + PrintableText.of(String.valueOf(ex)), ex);
        counters.add(ClientCounters.TLS_FAILURES, 1);
        if (ex instanceof SSLException)
        {
            sendLast(false);
        }
        return failure;
    }

    private IOException tooMuchOverhead()
    {
        return failed(TlsErrors.failure(
            "the broker sent " + overhead + " bytes of TLS records with hardly any data"));
    }

    /** Tries once to send the unsent output and then the last bytes of the engine, such as an alert. */
    private void sendLast(final boolean isClosing)
    {
        try
        {
            if (output.hasRemaining())
            {
                inner.send(output);
            }
            if (!output.hasRemaining())
            {
                output.clear();
                engine.takeOutput(output, isClosing);
                inner.send(output.flip());
            }
        }
        catch (final Throwable ex)
        {
            // The connection ends in any case.
            output.limit(0);
            FatalErrors.rethrow(ex);
        }
    }

    /**
     * Closes the sending side without a close_notify, because an engine of TLS 1.2 decrypts nothing more after it has
     * sent one.
     */
    @Override
    public void shutdownOutput() throws IOException
    {
        begin();
        inner.shutdownOutput();
        isFailed = false;
    }

    @Override
    public void readInterest(final boolean on)
    {
        inner.readInterest(on);
    }

    @Override
    public void writeInterest(final boolean on)
    {
        inner.writeInterest(on);
    }

    /**
     * The low-water mark of the inner socket is lower by the longest record, because a part of a record may have been
     * received already.
     */
    @Override
    public void receiveLowWaterMark(final int length)
    {
        inner.receiveLowWaterMark(Math.max(1, length - MAX_RECORD_LENGTH));
    }

    @Override
    public boolean isReady()
    {
        return inner.isReady() || isHolding && input.hasRemaining();
    }

    @Override
    public void clearReady()
    {
        inner.clearReady();
    }

    @Override
    public int receiveBufferLength()
    {
        return inner.receiveBufferLength();
    }

    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            try
            {
                if (isEstablished && !isFailed)
                {
                    sendLast(true);
                }
            }
            finally
            {
                free();
            }
        }
    }

    private void free()
    {
        try
        {
            inner.close();
        }
        finally
        {
            if (memory != null)
            {
                budget.release(LENGTH);
                DirectMemory.free(memory);
            }
            if (engine != null)
            {
                engine.free();
            }
        }
    }

    private boolean isConsistent()
    {
        // Each step of the connection requires the previous one.
        return (!isEstablished || isHandshakeDone) && (!isHandshakeDone || isConnected) &&
            // The version and the request for a certificate are known only after a complete handshake.
            (isHandshakeDone || !isTls13 && !isCertificateRequested) &&
            // The number of bytes without corresponding plaintext is limited.
            overhead >= 0 && overhead <= (isEstablished ? MAX_OVERHEAD : MAX_HANDSHAKE_LENGTH) &&
            // Plaintext counts as unsent until its record was sent completely.
            (unsentPlaintext == 0 || output.hasRemaining());
    }
}
