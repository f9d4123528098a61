// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.DirectMemory;

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
    private boolean isFailed;
    private boolean isClosed;
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
    private final ByteBuffer input;
    private final ByteBuffer output;
    private final MemoryBudget budget;
    private final CounterWriter counters;

    /**
     * @param inner    that is not connected.
     * @param provider that creates the engine when the host is known.
     * @param budget   that counts the memory.
     * @param counters of handshakes and of the time that they took.
     */
    TlsSocket(
        final PolledSocket inner, final TlsProvider provider, final MemoryBudget budget, final CounterWriter counters)
    {
        this.inner = inner;
        this.provider = provider;
        this.budget = budget;
        this.counters = counters;
        input = budget.allocate(INPUT_LENGTH).limit(0);
        output = budget.allocate(OUTPUT_LENGTH).limit(0);
        budget.hold(ENGINE_LENGTH);
    }

    /** @param address with the host name that the certificate of the peer must have. */
    @Override
    public boolean connect(final InetSocketAddress address) throws IOException
    {
        checkOpen();
        engine = provider.newEngine(address.getHostString(), address.getPort());
        isConnected = inner.connect(address);
        return isConnected && handshake();
    }

    @Override
    public boolean finishConnect() throws IOException
    {
        checkOpen();
        isConnected = isConnected || inner.finishConnect();
        return isEstablished || isConnected && handshake();
    }

    private boolean handshake() throws IOException
    {
        inner.readInterest(true);
        final long startNs = System.nanoTime();
        try
        {
            return continueHandshake();
        }
        catch (final SSLException | EOFException ex)
        {
            throw fail(ex);
        }
        catch (final IOException ex)
        {
            throw fail(TlsErrors.brokenInHandshake(overhead == 0, ex));
        }
        finally
        {
            counters.add(ConsumerCounters.TLS_HANDSHAKE_NS, System.nanoTime() - startNs);
        }
    }

    private boolean continueHandshake() throws IOException
    {
        while (flushOutput())
        {
            if (isHandshakeDone)
            {
                isEstablished = true;
                isTls13 = engine.isTls13();
                overhead = 0;
                counters.add(ConsumerCounters.TLS_HANDSHAKES, 1);
                return true;
            }
            output.clear();
            try
            {
                isHandshakeDone = engine.handshake(input, output);
            }
            finally
            {
                output.flip();
            }
            if (!isHandshakeDone && !output.hasRemaining() && !receiveHandshake())
            {
                return false;
            }
        }
        return false;
    }

    private boolean receiveHandshake() throws IOException
    {
        final boolean isFirst = overhead == 0;
        final int bytes = receiveInput();
        if (bytes < 0)
        {
            throw TlsErrors.closedInHandshake(isFirst);
        }
        overhead += bytes;
        if (overhead > MAX_HANDSHAKE_LENGTH)
        {
            throw TlsErrors.tooMuchOverhead(overhead);
        }
        if (bytes > 0 && isFirst && (input.get(0) < MIN_CONTENT_TYPE || input.get(0) > MAX_CONTENT_TYPE))
        {
            throw TlsErrors.notTls(input.get(0));
        }
        return bytes > 0;
    }

    /** Sends what the engine has written; returns true if nothing of it is left. */
    private boolean flushOutput() throws IOException
    {
        if (output.hasRemaining())
        {
            inner.send(output);
            inner.writeInterest(output.hasRemaining());
        }
        return !output.hasRemaining();
    }

    /** Receives bytes after those that the engine has not taken yet. */
    private int receiveInput() throws IOException
    {
        final int bytes = inner.receive(input.compact());
        input.flip();
        return bytes;
    }

    @Override
    public int receive(final ByteBuffer buffer) throws IOException
    {
        checkOpen();
        if (!buffer.hasRemaining())
        {
            return NOTHING;
        }
        try
        {
            final int bytes = decrypt(buffer);
            hasReceivedPlaintext |= bytes > 0;
            return bytes;
        }
        catch (final SSLException ex)
        {
            throw fail(ex);
        }
        catch (final IOException ex)
        {
            throw isCertificateInDoubt() ? fail(TlsErrors.certificateRefused(ex)) : ex;
        }
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
        while (buffer.hasRemaining() && !engine.isClosedByPeer() && !isDrained)
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
        return engine.isClosedByPeer() || bytes < 0 ? onEndOfStream() : NOTHING;
    }

    /** Small amounts of plaintext do not hide a flood of records without any. */
    private void decryptInput(final ByteBuffer buffer) throws SSLException
    {
        final int start = buffer.position();
        final int inputStart = input.position();
        engine.decrypt(input, buffer);
        overhead = (int)Math.max(
            0, overhead + input.position() - inputStart - (long)MAX_EXPANSION * (buffer.position() - start));
        if (overhead > MAX_OVERHEAD)
        {
            throw TlsErrors.tooMuchOverhead(overhead);
        }
    }

    private int onEndOfStream() throws SSLException
    {
        if (isCertificateInDoubt())
        {
            throw TlsErrors.certificateRefused(null);
        }
        return END_OF_STREAM;
    }

    /**
     * In TLS 1.3 a broker refuses our certificate only after our handshake is complete, and when it then closes the
     * connection its alert may be lost.
     */
    private boolean isCertificateInDoubt()
    {
        return !hasReceivedPlaintext && engine.isCertificateRequested();
    }

    /** Encrypts and sends one record after another; the position of the source passes what was sent completely. */
    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        checkOpen();
        int bytes = 0;
        boolean isSent = true;
        try
        {
            while (buffer.hasRemaining() && isSent)
            {
                if (!output.hasRemaining())
                {
                    encrypt(buffer);
                }
                inner.send(output);
                isSent = !output.hasRemaining();
                if (isSent)
                {
                    buffer.position(buffer.position() + unsentPlaintext);
                    bytes += unsentPlaintext;
                    unsentPlaintext = 0;
                }
            }
            return bytes;
        }
        catch (final SSLException ex)
        {
            throw fail(ex);
        }
    }

    private void encrypt(final ByteBuffer buffer) throws SSLException
    {
        output.clear();
        try
        {
            unsentPlaintext = engine.encrypt(buffer, output);
        }
        finally
        {
            output.flip();
        }
        if (isTls13 && output.remaining() > unsentPlaintext + TLS_1_3_OVERHEAD)
        {
            // The record follows the answer to a key update.
            counters.add(ConsumerCounters.TLS_KEY_UPDATES, 1);
        }
    }

    /** Tries once to send the alert that tells the peer the reason. */
    private <T extends IOException> T fail(final T ex)
    {
        if (!isFailed)
        {
            isFailed = true;
            counters.add(ConsumerCounters.TLS_FAILURES, 1);
            sendLast(false);
        }
        return ex;
    }

    private void sendLast(final boolean isClosing)
    {
        try
        {
            if (flushOutput())
            {
                output.clear();
                engine.takeOutput(output, isClosing);
                output.flip();
                inner.send(output);
            }
        }
        catch (final IOException ex)
        {
            // The connection ends in any case.
            output.limit(0);
        }
    }

    private void checkOpen() throws ClosedChannelException
    {
        if (isClosed)
        {
            throw new ClosedChannelException();
        }
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
            if (isEstablished && !isFailed)
            {
                sendLast(true);
            }
            if (engine != null)
            {
                engine.free();
            }
            free(input);
            free(output);
            budget.release(ENGINE_LENGTH);
            inner.close();
        }
    }

    private void free(final ByteBuffer buffer)
    {
        budget.release(buffer.capacity());
        DirectMemory.free(buffer);
    }
}
