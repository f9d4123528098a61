// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.core.TlsMaterial;
import org.odradek.client.core.TlsStores;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks handshakes that a server does not complete as it should, with the engines of all providers. */
class TlsHandshakeTest
{
    private static final String HOST = "broker.example";
    private static final int MANY = 50_000;
    /** More than a handshake has. */
    private static final int FLIGHTS = 20;
    private static final int SEEDS = 15;

    @TempDir
    private static Path folder;
    private static Path trust;
    private static SSLContext context;

    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private final ByteBuffer destination = ByteBuffer.allocateDirect(1_000);
    private boolean isBroken;
    private int changes;
    private TlsEngines engines;
    private TlsPeer peer;
    private PolledSocket socket;

    @BeforeAll
    static void issue()
    {
        final CertificateAuthority authority = new CertificateAuthority("test CA");
        trust = authority.writePem(folder.resolve("ca.pem"));
        context = authority.issue("broker", HOST).serverContext();
    }

    @AfterEach
    void close()
    {
        socket.close();
        engines.close();
        assertEquals(0, budget.heldBytes());
    }

    private void open(final TlsSettings settings, final SSLContext server, final String protocol)
    {
        if (engines == null)
        {
            engines = new TlsEngines(settings, new CounterWriter(), ClientListener.NONE);
        }
        peer = new TlsPeer(server, protocol);
        socket = new TlsSocket(new ForwardingPoller.Socket(peer)
        {
            @Override
            public int send(final ByteBuffer buffer) throws IOException
            {
                if (isBroken)
                {
                    throw new IOException("Connection reset");
                }
                return super.send(buffer);
            }
        }, engines, budget, new CounterWriter());
    }

    private static InetSocketAddress address() throws IOException
    {
        return new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] {127, 0, 0, 1}), 9093);
    }

    private void connect() throws IOException
    {
        boolean isConnected = socket.connect(address());
        for (int i = 0; i < MANY && !isConnected; i++)
        {
            isConnected = socket.finishConnect();
        }
        assertTrue(isConnected);
    }

    /** Changes a byte of all that the server sends at a time; the connection stays open. */
    private void connectWithChanges(final Random random) throws IOException
    {
        peer.isStepwise = true;
        boolean isConnected = socket.connect(address());
        for (int i = 0; i < FLIGHTS && !isConnected; i++)
        {
            if (peer.sent.length > 0)
            {
                peer.sent[random.nextInt(Math.min(3_000, peer.sent.length))] ^= (byte)(1 + random.nextInt(255));
                changes++;
            }
            peer.release();
            isConnected = socket.finishConnect();
        }
        assertTrue(!isConnected || socket.receive(destination.clear()) <= 0, "the server has sent no record");
    }

    @ParameterizedTest
    @CsvSource({"BORINGSSL, TLSv1.3", "BORINGSSL, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
    void shouldSurviveGarbageInTheHandshake(final TlsProviderType provider, final String protocol)
    {
        int refused = 0;
        for (int seed = 0; seed < SEEDS; seed++)
        {
            open(TlsSettings.trust(trust).provider(provider), context, protocol);
            try
            {
                connectWithChanges(new Random(seed));
            }
            catch (final IOException ex)
            {
                refused++;
            }
            socket.close();
        }
        assertTrue(changes >= SEEDS, () -> changes + " changes");
        // A change of a length makes the client wait for more.
        assertTrue(refused > SEEDS / 2, refused + " of " + SEEDS);
    }

    /** An engine that takes everything, and is never done. */
    @Test
    void shouldBoundTheLengthOfAHandshake()
    {
        engines = new TlsEngines(TlsSettings.trust(trust), new CounterWriter(), ClientListener.NONE);
        peer = new TlsPeer(context, "TLSv1.3");
        socket = new TlsSocket(peer, new SilentTls(0, false), budget, new CounterWriter());
        final byte[] flood = new byte[1 << 20];
        Arrays.fill(flood, (byte)22);
        peer.inject(flood);

        final SSLException ex = assertThrows(SSLException.class, this::connect);

        assertTrue(ex.getMessage().endsWith(" bytes of TLS records with hardly any data"), ex.getMessage());
        assertTrue(peer.sent.length > 1 << 19, () -> peer.sent.length + " bytes are left");
    }

    /** In TLS 1.3 the alert of the broker may be lost, whether the connection breaks when it is read or written. */
    @ParameterizedTest
    @CsvSource({"JDK, false", "JDK, true", "BORINGSSL, false", "BORINGSSL, true"})
    void shouldSayThatTheBrokerMayHaveRefusedTheCertificate(
        final TlsProviderType provider, final boolean isReset) throws IOException
    {
        open(TlsSettings.trust(trust).provider(provider), context, "TLSv1.3");
        peer.engine.requestingCertificate();
        connect();
        peer.sent = new byte[0];
        peer.isFinished = true;
        isBroken = isReset;

        final IOException ex = assertThrows(IOException.class, () ->
        {
            final int bytes = isReset ?
                socket.send(ByteBuffer.allocateDirect(10)) : socket.receive(destination.clear());
            throw new AssertionError("no exception, but " + bytes);
        });

        assertTrue(ex.getMessage().startsWith("the broker requests a client certificate and closed the connection"),
            ex.getMessage());
    }

    /** A refusal is an alert, and in TLS 1.2 it ends the handshake. */
    @ParameterizedTest
    @CsvSource({"JDK, TLSv1.3, true", "JDK, TLSv1.2, true", "JDK, TLSv1.2, false",
        "BORINGSSL, TLSv1.3, true", "BORINGSSL, TLSv1.2, true", "BORINGSSL, TLSv1.2, false"})
    void shouldTakeARegularCloseForNoRefusalOfTheCertificate(
        final TlsProviderType provider, final String protocol, final boolean isAnnounced) throws IOException
    {
        open(TlsSettings.trust(trust).provider(provider), context, protocol);
        peer.engine.requestingCertificate();
        connect();
        if (isAnnounced)
        {
            peer.closeNotify();
        }
        peer.isFinished = true;

        assertEquals(PolledSocket.END_OF_STREAM, socket.receive(destination.clear()));
    }

    /** Such a pair is refused when it is read, so it is made here. */
    @Test
    void shouldSayThatOurOwnKeyCannotBeUsed() throws GeneralSecurityException
    {
        final TlsSettings settings = TlsSettings.trust(trust);
        final CertificateAuthority authority = new CertificateAuthority("CA of clients");
        final TlsMaterial mismatched = new TlsMaterial(
            TlsStores.reader().load().apply(settings).trustManager(), null, authority.issue("one").key(),
            authority.issue("other").chain().toArray(new X509Certificate[0]));
        engines = new TlsEngines(settings, new CounterWriter(), ClientListener.NONE);
        final RefusedKeys refusedKeys = new RefusedKeys(new CounterWriter(), ClientListener.NONE);
        final BoringSsl provider = new BoringSsl(settings, mismatched, new CounterWriter(), refusedKeys);
        peer = new TlsPeer(context, "TLSv1.3");
        peer.engine.requestingCertificate();
        socket = new TlsSocket(peer, provider, budget, new CounterWriter());

        final SSLException ex = assertThrows(SSLException.class, this::connect);
        provider.close();

        assertTrue(ex.getMessage().startsWith("the key of this client or its certificate cannot be used: "),
            ex.getMessage());
    }

    /** Bouncy Castle and Conscrypt check certificates while they unwrap. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void shouldConnectByAProviderWithoutTasks(final String protocol) throws IOException
    {
        Security.addProvider(new TasklessTls());
        try
        {
            final TlsSettings settings = TlsSettings.trust(trust).jdkProvider(TasklessTls.NAME);
            open(settings, context, protocol);
            connect();
            peer.write("records".getBytes(StandardCharsets.US_ASCII));
            assertEquals(7, socket.receive(destination.clear()));
            socket.close();

            open(settings, new CertificateAuthority("another CA").issue("broker", HOST).serverContext(), protocol);
            assertThrows(SSLException.class, this::connect);
        }
        finally
        {
            Security.removeProvider(TasklessTls.NAME);
        }
    }
}
