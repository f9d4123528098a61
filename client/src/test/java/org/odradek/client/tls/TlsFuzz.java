// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.fuzz.FuzzTarget;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;

/**
 * A TLS socket whose peer sends what an input says: records that are whole, cut, changed, repeated or in another order,
 * and bytes that are no record, during the handshake or after it. The connection must end with a reason, and every byte
 * that is delivered must be the next one that the peer has written.
 */
public enum TlsFuzz implements FuzzTarget
{
    TLS_BORINGSSL(TlsProviderType.BORINGSSL),
    TLS_JDK(TlsProviderType.JDK);

    private static final String HOST = "broker.example";
    private static final int TLS_1_2_FLAG = 1;
    private static final int SMALL_PIECES_FLAG = 2;
    private static final int IN_HANDSHAKE_FLAG = 4;
    private static final int WHOLE_RECORD = 0;
    private static final int STEPS = 7;
    /** Of a handshake, so that repetitions of repetitions stay short. */
    private static final int MAX_REPEATED = 500;
    private static final int MAX_STEPS = 50;
    private static final int MAX_CALLS = 100_000;

    private final TlsProviderType type;
    private TlsProvider engines;
    private SSLContext server;

    TlsFuzz(final TlsProviderType type)
    {
        this.type = type;
    }

    private void load()
    {
        if (engines == null)
        {
            final CertificateAuthority authority = new CertificateAuthority("test CA");
            server = authority.issue("broker", HOST).serverContext();
            engines = new TlsEngines(TlsSettings.trust(CertificateStore.pem(authority.pem())).provider(type),
                new CounterWriter(), ClientListener.NONE);
        }
    }

    @Override
    public byte[] seed(final Random random)
    {
        final ByteBuffer seed = ByteBuffer.allocate(100);
        seed.put((byte)random.nextInt(IN_HANDSHAKE_FLAG << 1));
        for (int i = random.nextInt(6); i >= 0; i--)
        {
            // A whole record and, mostly, a receive.
            seed.put((byte)WHOLE_RECORD).put((byte)random.nextInt(256));
            seed.put((byte)(random.nextInt(4) == 0 ? WHOLE_RECORD : STEPS - 1));
        }
        final byte[] damage = new byte[random.nextBoolean() ? 0 : 1 + random.nextInt(50)];
        random.nextBytes(damage);
        seed.put(damage);
        return Arrays.copyOf(seed.array(), seed.position());
    }

    @Override
    public String digest(final byte[] input)
    {
        load();
        final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
        final Run run = new Run(engines, server, ByteBuffer.wrap(input), budget);
        final String outcome = run.outcome();
        run.socket.close();
        check(budget.heldBytes() == 0, "memory is left");
        check(!run.isInHandshake || input.length == 1 || run.isChanged, "no byte of the handshake was changed");
        // Which byte of a handshake is changed depends on its random lengths.
        return run.isInHandshake ? "handshake" : outcome + run.delivered;
    }

    private static void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new AssertionError(what);
        }
    }

    /** One connection. */
    private static final class Run
    {
        private final ByteBuffer program;
        private final boolean isInHandshake;
        private boolean isChanged;
        private final TlsPeer peer;
        private final PolledSocket socket;
        private final List<byte[]> records = new ArrayList<>();
        private final ByteBuffer destination = ByteBuffer.allocateDirect(10_000);
        private int written;
        private int delivered;

        Run(final TlsProvider engines, final SSLContext server, final ByteBuffer program, final MemoryBudget budget)
        {
            this.program = program;
            final int flags = next();
            isInHandshake = (flags & IN_HANDSHAKE_FLAG) != 0;
            peer = new TlsPeer(server, (flags & TLS_1_2_FLAG) != 0 ? "TLSv1.2" : "TLSv1.3");
            peer.chunkLength = (flags & SMALL_PIECES_FLAG) != 0 ? 500 : Integer.MAX_VALUE;
            socket = new TlsSocket(peer, engines, budget, new CounterWriter());
        }

        private int next()
        {
            return program.hasRemaining() ? program.get() & 0xFF : 0;
        }

        private String outcome()
        {
            try
            {
                connect();
                receive();
                for (int i = 0; i < MAX_STEPS && program.hasRemaining(); i++)
                {
                    step();
                }
                peer.isFinished = true;
                receive();
                return "ended ";
            }
            catch (final IOException ex)
            {
                check(ex.getMessage() != null && !ex.getMessage().isEmpty(), "no reason");
                return "refused ";
            }
        }

        private void connect() throws IOException
        {
            peer.isStepwise = isInHandshake;
            boolean isConnected = socket.connect(
                new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[]{127, 0, 0, 1}), 9093));
            for (int i = 0; i < MAX_CALLS && !isConnected; i++)
            {
                if (isInHandshake && program.hasRemaining() && peer.sent.length > 0)
                {
                    changeHandshake();
                }
                // A peer that says nothing more closes the connection.
                peer.isFinished = peer.sent.length == 0 && (isChanged || !isInHandshake);
                peer.release();
                isConnected = socket.finishConnect();
            }
            peer.isStepwise = false;
            peer.release();
            peer.isFinished = false;
            check(isConnected, "a handshake without an end");
        }

        private void changeHandshake()
        {
            final byte[] sent = peer.sent;
            isChanged = true;
            switch (next() % 4)
            {
                case 0 -> flip(sent);
                case 1 -> peer.sent = Arrays.copyOf(sent, index(sent));
                case 2 -> peer.inject(Arrays.copyOf(sent, Math.min(sent.length, MAX_REPEATED)));
                default ->
                {
                    peer.sent = raw();
                    peer.inject(sent);
                }
            }
        }

        private int index(final byte[] bytes)
        {
            return (next() << 8 | next()) % bytes.length;
        }

        private void flip(final byte[] bytes)
        {
            bytes[index(bytes)] ^= (byte)(1 << (next() & 7));
        }

        private byte[] raw()
        {
            final int length = next() % 64;
            final byte[] bytes = new byte[Math.min(program.remaining(), length)];
            program.get(bytes);
            return bytes;
        }

        private void step() throws IOException
        {
            switch (next() % STEPS)
            {
                case WHOLE_RECORD -> peer.inject(nextRecord());
                case 1 -> peer.inject(records.isEmpty() ? raw() : records.get(next() % records.size()));
                case 2 ->
                {
                    final byte[] cut = nextRecord();
                    peer.inject(Arrays.copyOf(cut, index(cut)));
                }
                case 3 ->
                {
                    final byte[] changed = nextRecord().clone();
                    flip(changed);
                    peer.inject(changed);
                }
                case 4 -> peer.inject(raw());
                case 5 ->
                {
                    final byte[] first = nextRecord();
                    peer.inject(nextRecord());
                    peer.inject(first);
                }
                default -> receive();
            }
        }

        /** Encrypts the next bytes, and keeps the record. */
        private byte[] nextRecord() throws IOException
        {
            final byte[] plaintext = new byte[1 + 4 * next()];
            for (int i = 0; i < plaintext.length; i++)
            {
                plaintext[i] = pattern(written++);
            }
            final byte[] before = peer.sent;
            peer.sent = new byte[0];
            peer.write(plaintext);
            final byte[] record = peer.sent;
            peer.sent = before;
            records.add(record);
            return record;
        }

        private static byte pattern(final int index)
        {
            return (byte)(31 * index + (index >> 8));
        }

        private void receive() throws IOException
        {
            int bytes = 1;
            for (int i = 0; bytes > 0 || bytes == 0 && peer.sent.length > 0; i++)
            {
                check(i < MAX_CALLS, "it receives without an end");
                bytes = socket.receive(destination.clear());
                for (int b = 0; b < bytes; b++)
                {
                    check(delivered < written && destination.get(b) == pattern(delivered), "a byte was not sent");
                    delivered++;
                }
            }
        }
    }
}
