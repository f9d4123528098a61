// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.FaultRun;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.fuzz.FuzzTarget;
import org.odradek.harness.tls.EngineTls;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLContext;

/**
 * A TLS socket whose engine, or whose socket below, throws something at the step that an input says, while the input
 * has the socket used in any order and its peer send anything. Once a call has thrown, all others must, nothing but the
 * engine's free method may be called, and no secret may be sent.
 */
public enum TlsFaultFuzz implements FuzzTarget
{
    TLS_FAULTS_BORINGSSL(TlsProviderType.BORINGSSL),
    TLS_FAULTS_JDK(TlsProviderType.JDK);

    private static final String HOST = "broker.example";
    private static final int TLS_1_2_FLAG = 1;
    private static final int HEADER_LENGTH = 3;
    private static final int MAX_STEP = 64;
    private static final int CALLS = 8;
    private static final int MAX_CALLS = 50;

    private final TlsProviderType type;
    private TlsProvider engines;
    private SSLContext server;

    TlsFaultFuzz(final TlsProviderType type)
    {
        this.type = type;
    }

    private void load()
    {
        if (engines == null)
        {
            final CertificateAuthority authority = new CertificateAuthority("test CA");
            server = EngineTls.context(authority.issue("broker", HOST), null);
            engines = new TlsEngines(TlsSettings.trust(CertificateStore.pem(authority.pem())).provider(type),
                new CounterWriter(), ClientListener.NONE);
        }
    }

    @Override
    public byte[] seed(final Random random)
    {
        final byte[] seed = new byte[HEADER_LENGTH + random.nextInt(30)];
        random.nextBytes(seed);
        return seed;
    }

    @Override
    public String digest(final byte[] input)
    {
        load();
        final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
        final ByteBuffer program = ByteBuffer.wrap(Arrays.copyOf(input, HEADER_LENGTH + input.length));
        return new Run(engines, server, (program.get() & TLS_1_2_FLAG) != 0 ? "TLSv1.2" : "TLSv1.3", program, budget)
            .callAll();
    }

    /** One connection. */
    private static final class Run extends FaultRun
    {
        private final MemoryBudget budget;
        private final EngineTls tls;
        private final ServerPeer peer;
        private final TlsSocket socket;
        private final ByteBuffer destination = ByteBuffer.allocateDirect(1_000);
        private boolean isConnected;

        Run(
            final TlsProvider engines,
            final SSLContext server,
            final String protocol,
            final ByteBuffer program,
            final MemoryBudget budget)
        {
            super(program);
            this.budget = budget;
            tls = new EngineTls(server, protocol);
            peer = new ServerPeer(tls);
            socket = new TlsSocket(
                new FaultySocket(peer, fault), new FaultyTls(engines, fault), budget, new CounterWriter());
            arm(MAX_STEP);
        }

        @Override
        protected boolean isExpected(final Throwable ex, final boolean hasFailed)
        {
            return ex instanceof IOException || ex == throwable && !hasFailed;
        }

        private String callAll()
        {
            call(() -> isConnected = socket.connect(
                new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] {127, 0, 0, 1}), 9093)));
            for (int i = 0; i < MAX_CALLS && hasNext(); i++)
            {
                callNext();
            }
            if (isFailed)
            {
                call(socket::finishConnect);
                call(() -> socket.send(ServerPeer.secret()));
                call(() -> socket.receive(destination.clear()));
            }
            close();
            check(budget.heldBytes() == 0, "memory is left");
            check(!peer.hasSecret(), "the secret was sent");
            return isFailed ? "failed" : "ended";
        }

        private void callNext()
        {
            switch (next() % CALLS)
            {
                case 0 -> tls.send(new byte[1 + next()]);
                case 1 -> tls.updateKeys();
                case 2 -> peer.sent = Arrays.copyOf(peer.sent, peer.sent.length + next() % 16);
                case 3 -> peer.sent = Arrays.copyOf(peer.sent, peer.sent.length * next() / 256);
                case 4 -> peer.isFinished = true;
                case 5 -> call(() -> socket.receive(destination.clear()));
                case 6 -> send();
                default -> call(() -> isConnected = socket.finishConnect());
            }
            peer.take();
        }

        /** Nothing is sent on a connection that is being made. */
        private void send()
        {
            if (isConnected || isFailed)
            {
                call(() -> socket.send(
                    isFailed ? ServerPeer.secret() : ByteBuffer.allocateDirect(1 + next())));
            }
        }

        private void close()
        {
            try
            {
                socket.close();
            }
            catch (final Throwable ex)
            {
                check(ex == throwable, "close has thrown " + ex);
            }
        }
    }
}
