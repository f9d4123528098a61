// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;

/** A connection with TLS, in memory, through which a test passes what it reads. */
public final class TlsTunnel implements AutoCloseable
{
    private static final String HOST = "broker.example";
    private static final int MAX_PIECE_LENGTH = 100_000;

    private final TlsEngines engines;
    private final TlsPeer peer;
    private final TlsSocket socket;

    public TlsTunnel(final TlsProviderType type) throws IOException
    {
        final CertificateAuthority authority = new CertificateAuthority("test CA");
        final CounterWriter counters = new CounterWriter();
        engines = new TlsEngines(TlsSettings.trust(CertificateStore.pem(authority.pem())).provider(type), counters,
            ClientListener.NONE);
        peer = new TlsPeer(authority.issue("broker", HOST).serverContext(), "TLSv1.3");
        socket = new TlsSocket(peer, engines, UnlimitedMemory.budget(Long.MAX_VALUE), counters);
        boolean isConnected = socket.connect(
            new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[]{127, 0, 0, 1}), 9093));
        while (!isConnected)
        {
            isConnected = socket.finishConnect();
        }
    }

    /** Replaces the first bytes of a buffer by what arrives when they are sent, in pieces and reads of any length. */
    public void pass(final ByteBuffer buffer, final int length, final Random random) throws IOException
    {
        int start = 0;
        buffer.clear();
        while (start < length)
        {
            final byte[] piece = new byte[Math.min(length - start, 1 + random.nextInt(MAX_PIECE_LENGTH))];
            buffer.get(start, piece);
            buffer.put(start, new byte[piece.length]);
            peer.write(piece);
            peer.chunkLength = 1_000 + random.nextInt(MAX_PIECE_LENGTH);
            final int limit = start + piece.length;
            while (start < limit)
            {
                start += socket.receive(buffer.limit(Math.min(limit, start + 1 + random.nextInt(piece.length)))
                    .position(start));
            }
            buffer.clear();
        }
    }

    @Override
    public void close()
    {
        socket.close();
        engines.close();
    }
}
