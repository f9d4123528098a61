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
 * A socket that encrypts and decrypts what another socket sends and receives. It is connected once the TLS handshake is
 * complete. Plaintext goes straight from the cipher buffer to the destination; a record may end anywhere, in any read.
 * <p>
 * A failure is final. The socket counts as failed from the beginning of each call to its regular end. So whatever is
 * thrown in between, every later call except {@link #close()} throws, and of the engine only {@link TlsEngine#free()}
 * is called: one that is called again after an unexpected exception may have skipped the check of a certificate.
 * <p>
 * What the thread does inside {@link #connect} and {@link #finishConnect()}, certificate checks included, is timed and
 * counted. {@link #close()} may be called by any thread, but not while another thread is inside a method of the socket.
 */
final class TlsSocket implements PolledSocket
{
    private static final int INPUT_LENGTH = 1 << 16;
    private static final int OUTPUT_LENGTH = 1 << 15;
    /** Memory of the engine: its buffer of pending output, and the record that has arrived in part. */
    private static final int ENGINE_LENGTH = 40 << 10;
    /** What one connection needs, in bytes. */
    static final int LENGTH = INPUT_LENGTH + OUTPUT_LENGTH + ENGINE_LENGTH;
    /** The most bytes of a handshake. */
    private static final int MAX_HANDSHAKE_LENGTH = 1 << 18;
    /**
     * The most bytes that no plaintext accounts for: a record that has arrived in part, and far more than the tickets,
     * key updates and empty records that a broker sends between two responses.
     */
    private static final int MAX_OVERHEAD = 1 << 16;
    /** Encrypted bytes that each byte of plaintext accounts for: a record of 1 byte has up to 30. */
    private static final int MAX_EXPANSION = 32;
    /** What TLS 1.3 adds to the plaintext of a record: header, type and tag. */
    private static final int TLS_1_3_OVERHEAD = 22;
    /** A header, the plaintext, and the most that TLS 1.2 allows to add; TLS 1.3 allows 256 bytes. */
    private static final int MAX_RECORD_LENGTH = 5 + TlsEngine.MAX_PLAINTEXT + 2_048;
    private static final int MIN_CONTENT_TYPE = 20;
    private static final int MAX_CONTENT_TYPE = 23;

    private boolean isConnected;
    /** Our side of the handshake is complete, but perhaps not sent. */
    private boolean isHandshakeDone;
    private boolean isEstablished;
    /** A call has not ended regularly, or is in progress. */
    private boolean isFailed;
    private boolean isClosed;
    private boolean isClosedByPeer;
    private boolean isCertificateRequested;
    /** The last receive filled its destination: the engine may hold more plaintext. */
    private boolean isHolding;
    private boolean hasReceivedPlaintext;
    private boolean isTls13;
    private int unsentPlaintext;
    /** Bytes received in the handshake; after it, those decrypted that no plaintext accounts for. */
    private int overhead;
    private final PolledSocket inner;
    private TlsEngine engine;
    private final TlsProvider provider;
    /** Holds {@link #input} and {@link #output}. */
    private final ByteBuffer memory;
    private final ByteBuffer input;
    private final ByteBuffer output;
    private final MemoryBudget budget;
    private final CounterWriter counters;

    /**
     * @param inner    that is not connected.
     * @param provider that creates the engine when the host is known.
     * @param budget   that counts the memory.
     * @param counters of handshakes and of the time that they took.
     * @throws OutOfMemoryError if the JVM has no direct memory left; then none is held.
     */
    TlsSocket(
        final PolledSocket inner, final TlsProvider provider, final MemoryBudget budget, final CounterWriter counters)
    {
        this.inner = inner;
        this.provider = provider;
        this.budget = budget;
        this.counters = counters;
        memory = budget.allocate(INPUT_LENGTH + OUTPUT_LENGTH);
        input = memory.slice(0, INPUT_LENGTH).limit(0);
        output = memory.slice(INPUT_LENGTH, OUTPUT_LENGTH).limit(0);
        budget.hold(ENGINE_LENGTH);
    }

    /** @param address with the host name that the certificate of the peer must have. */
    @Override
    public boolean connect(final InetSocketAddress address) throws IOException
    {
        begin();
        engine = provider.newEngine(address.getHostString(), address.getPort());
        isConnected = inner.connect(address);
        isFailed = false;
        assert isConsistent();
        return isConnected && finishConnect();
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

    /** Marks the socket as failed until the call that begins has ended regularly. */
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
            // No SSLException, because a broker that stops closes connections, too.
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

    /** Sends what the engine has written; returns true if nothing of it is left. */
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

    /** Receives bytes after those that the engine has not taken yet. */
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

    /** Adds what a broken connection means for TLS. */
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
            // A short read has taken all that the system had: another one would be a system call for nothing.
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

    /** Small amounts of plaintext do not hide a flood of records without any. */
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
     * In TLS 1.3 a broker refuses our certificate only after our handshake is complete, and when it then closes the
     * connection its alert may be lost. A broker that announces that it closes has not refused it.
     */
    private boolean isCertificateInDoubt()
    {
        return isTls13 && isCertificateRequested && !hasReceivedPlaintext && !isClosedByPeer;
    }

    /** Encrypts and sends one record after another; the position of the source passes what was sent completely. */
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
            // The record follows the answer to a key update.
            counters.add(ClientCounters.TLS_KEY_UPDATES, 1);
        }
    }

    /** The engine has thrown while it wrote to the output, which then holds what it had written before. */
    private IOException failedWriting(final Throwable ex)
    {
        output.flip();
        return failed(ex);
    }

    /**
     * Counts the failure, and sends the alert that names the reason to the peer if TLS itself has failed.
     *
     * @param ex what the engine has thrown, or what is wrong with the connection.
     * @return the exception to throw.
     */
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

    /** Tries once to send an alert, after what has been written and not been sent. */
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

    /** Without an alert that announces it: after one, an engine of TLS 1.2 decrypts nothing more. */
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
     * Less by one record, which may have been received in part. Otherwise the encrypted bytes are more than the bytes
     * of the application.
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
            budget.release(LENGTH);
            DirectMemory.free(memory);
            if (engine != null)
            {
                engine.free();
            }
        }
    }

    /** Between two calls that have ended regularly. */
    private boolean isConsistent()
    {
        // Each step of the connection follows the one before.
        return (!isEstablished || isHandshakeDone) && (!isHandshakeDone || isConnected) &&
            // Only a complete handshake says what was agreed on.
            (isHandshakeDone || !isTls13 && !isCertificateRequested) &&
            // Records without data are bounded.
            overhead >= 0 && overhead <= (isEstablished ? MAX_OVERHEAD : MAX_HANDSHAKE_LENGTH) &&
            // The source passes a record when it was sent completely.
            (unsentPlaintext == 0 || output.hasRemaining());
    }
}
