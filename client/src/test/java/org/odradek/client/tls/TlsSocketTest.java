// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks both providers against a server with the JDK's TLS, in memory: records that end anywhere, and a peer that
 * sends what no broker does.
 */
@ParameterizedClass
@CsvSource({"BORINGSSL, TLSv1.3", "BORINGSSL, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
class TlsSocketTest
{
    private static final String HOST = "broker.example";
    private static final int LENGTH = 40_000;
    private static final int MANY = 50_000;

    @TempDir
    private static Path folder;
    private static Path trust;
    private static CertificateAuthority authority;
    private static SSLContext context;

    @Parameter(0)
    private TlsProviderType provider;
    @Parameter(1)
    private String protocol;

    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private final byte[] plaintext = new byte[LENGTH];
    private final ByteBuffer destination = ByteBuffer.allocateDirect(2 * LENGTH);
    private TlsEngines engines;
    private TlsPeer peer;
    private PolledSocket socket;

    @BeforeAll
    static void issue()
    {
        authority = new CertificateAuthority("test CA");
        trust = authority.writePem(folder.resolve("ca.pem"));
        context = authority.issue("broker", HOST).serverContext();
    }

    private void open(final SSLContext server)
    {
        new Random(1).nextBytes(plaintext);
        engines = new TlsEngines(TlsSettings.trust(trust).provider(provider), counters, ClientListener.NONE);
        peer = new TlsPeer(server, protocol);
        socket = new TlsSocket(peer, engines, budget, counters);
    }

    private boolean connect(final String host) throws IOException
    {
        boolean isConnected = socket.connect(new InetSocketAddress(
            InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}), 9093));
        for (int i = 0; i < MANY && !isConnected; i++)
        {
            isConnected = socket.finishConnect();
        }
        return isConnected;
    }

    private void connect() throws IOException
    {
        open(context);
        assertTrue(connect(HOST));
        assertEquals(1, counters.get(ClientCounters.TLS_HANDSHAKES));
    }

    @AfterEach
    void close()
    {
        if (socket != null)
        {
            socket.close();
            socket.close();
            engines.close();
            assertTrue(peer.isClosed);
            assertEquals(0, budget.heldBytes());
            assertThrows(ClosedChannelException.class, () -> socket.receive(destination.clear()));
        }
    }

    private void assertRefused(final String sentence)
    {
        final IOException ex = assertThrows(IOException.class, () -> connect(HOST));
        assertTrue(ex.getMessage().contains(sentence), ex.getMessage());
        assertEquals(1, counters.get(ClientCounters.TLS_FAILURES));
    }

    /** Receives until nothing is left. */
    private byte[] receive(final int room) throws IOException
    {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        int idle = 0;
        while (idle < 3)
        {
            final int bytes = socket.receive(destination.clear().limit(room));
            assertEquals(Math.max(bytes, 0), destination.position());
            destination.flip();
            while (destination.hasRemaining())
            {
                all.write(destination.get());
            }
            idle = bytes <= 0 && (peer.sent.length == 0 || bytes < 0) ? idle + 1 : 0;
        }
        return all.toByteArray();
    }

    @Test
    void shouldFailToConnectIfTheJvmHasTooLittleDirectMemoryLeft() throws IOException
    {
        open(context);
        final List<Long> missing = new ArrayList<>();
        final MemoryBudget small = new MemoryBudget(
            Long.MAX_VALUE, (bytes) -> {}, () -> TlsPoller.LENGTH_PER_SOCKET - 1, missing::add);
        try (PolledSocket without = new TlsSocket(new TlsPeer(context, protocol), engines, small, counters))
        {
            final IOException ex = assertThrows(IOException.class,
                () -> without.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9093)));

            assertFalse(ex instanceof SSLException);
            assertEquals("the JVM has too little direct memory left for TLS, which needs " +
                TlsPoller.LENGTH_PER_SOCKET + " bytes for each connection", ex.getMessage());
            assertEquals(List.of((long)TlsPoller.LENGTH_PER_SOCKET), missing);
        }
        assertEquals(0, small.heldBytes());
        assertTrue(connect(HOST));
    }

    @ParameterizedTest
    @CsvSource({"11, 80000", "97, 3", "4096, 80000", "80000, 1000", "80000, 80000"})
    void shouldDeliverRecordsThatEndAnywhere(final int chunkLength, final int room) throws IOException
    {
        open(context);
        peer.chunkLength = chunkLength;
        assertTrue(connect(HOST));

        peer.write(plaintext);

        assertArrayEquals(plaintext, receive(room));
        final ByteBuffer source = ByteBuffer.allocateDirect(LENGTH).put(plaintext).flip();
        while (source.hasRemaining())
        {
            socket.send(source);
        }
        assertArrayEquals(plaintext, peer.received.toByteArray());
    }

    @Test
    void shouldPassTheSourceOnlyOnceARecordIsSent() throws IOException
    {
        connect();
        peer.sendRoom = 100;
        final ByteBuffer source = ByteBuffer.allocateDirect(1_000).put(plaintext, 0, 1_000).flip();

        assertEquals(PolledSocket.NOTHING, socket.send(source));
        assertEquals(0, source.position());

        peer.sendRoom = Integer.MAX_VALUE;
        assertEquals(1_000, socket.send(source));
        assertEquals(1_000, source.position());
        assertArrayEquals(Arrays.copyOf(plaintext, 1_000), peer.received.toByteArray());
    }

    @Test
    void shouldReceiveAfterTheEndOfWhatItSends() throws IOException
    {
        connect();
        socket.send(ByteBuffer.allocateDirect(LENGTH).put(plaintext).flip());

        socket.shutdownOutput();

        assertTrue(peer.isOutputEnded);
        assertArrayEquals(plaintext, peer.received.toByteArray());
        peer.write(plaintext);
        assertArrayEquals(plaintext, receive(LENGTH));
    }

    @Test
    void shouldLeaveAFullDestinationAlone() throws IOException
    {
        connect();
        peer.write(plaintext);

        assertEquals(PolledSocket.NOTHING, socket.receive(destination.limit(0)));
        assertArrayEquals(plaintext, receive(LENGTH));
    }

    @ParameterizedTest
    @ValueSource(ints = {977, 7_001, 20_011})
    void shouldNeverWaitForMoreThanIsStillToCome(final int chunkLength) throws IOException
    {
        connect();
        peer.chunkLength = chunkLength;
        peer.write(plaintext);
        destination.clear().limit(LENGTH);
        int highest = 0;
        while (destination.hasRemaining())
        {
            socket.receiveLowWaterMark(destination.remaining());
            highest = Math.max(highest, peer.lowWaterMark);
            assertTrue(peer.lowWaterMark <= peer.sent.length, peer.lowWaterMark + " of " + peer.sent.length);
            socket.receive(destination);
        }
        assertTrue(highest > LENGTH / 2, "marks are passed on");
        socket.receiveLowWaterMark(1);
        assertEquals(1, peer.lowWaterMark);
    }

    @Test
    void shouldEndAtACloseNotify() throws IOException
    {
        connect();
        peer.write(plaintext);
        peer.closeNotify();

        assertArrayEquals(plaintext, receive(2 * LENGTH));
        assertEquals(PolledSocket.END_OF_STREAM, socket.receive(destination.clear()));
    }

    @Test
    void shouldEndWhenThePeerClosesWithoutNotice() throws IOException
    {
        connect();
        peer.write(plaintext);
        peer.sent = Arrays.copyOf(peer.sent, peer.sent.length - 1);
        peer.isFinished = true;

        final byte[] received = receive(2 * LENGTH);

        assertTrue(received.length < LENGTH);
        assertArrayEquals(Arrays.copyOf(plaintext, received.length), received);
        assertEquals(PolledSocket.END_OF_STREAM, socket.receive(destination.clear()));
    }

    @Test
    void shouldAnnounceThatItCloses() throws IOException
    {
        connect();

        socket.close();

        assertTrue(peer.engine.isClosedByClient());
    }

    private boolean hasKeyUpdates()
    {
        return "TLSv1.3".equals(protocol);
    }

    /** TLS 1.2 has no key updates, and negotiates again instead. */
    @Test
    void shouldFollowKeyUpdatesAndRefuseToNegotiateAgain() throws IOException
    {
        connect();
        if (!hasKeyUpdates())
        {
            peer.updateKeys();
            assertNegotiationRefused();
            return;
        }
        for (int i = 0; i < 10; i++)
        {
            peer.updateKeys();
            peer.write(plaintext);
            assertArrayEquals(plaintext, receive(2 * LENGTH));
            socket.send(ByteBuffer.allocateDirect(1_000).put(plaintext, 0, 1_000).flip());
        }
        assertEquals(10_000, peer.received.size());
        assertEquals(10, counters.get(ClientCounters.TLS_KEY_UPDATES));
        assertEquals(0, counters.get(ClientCounters.TLS_FAILURES));
    }

    private void assertNegotiationRefused()
    {
        final SSLException ex = assertThrows(SSLException.class, () -> receive(LENGTH));

        assertEquals("the broker asked to negotiate TLS again, which is refused", ex.getMessage());
        assertEquals(0, counters.get(ClientCounters.TLS_KEY_UPDATES));
        assertEquals(1, counters.get(ClientCounters.TLS_FAILURES));
    }

    /** Also if data comes first, in the same read. TLS 1.2 refuses the first request to negotiate again. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldBoundKeyUpdates(final int bytesOfData) throws IOException
    {
        connect();
        if (bytesOfData > 0)
        {
            peer.write(Arrays.copyOf(plaintext, bytesOfData));
        }
        if (!hasKeyUpdates())
        {
            peer.updateKeys();
            assertNegotiationRefused();
            return;
        }
        for (int i = 0; i < MANY && peer.sent.length < 100_000; i++)
        {
            peer.updateKeys();
        }

        final SSLException ex = assertThrows(SSLException.class, () -> receive(LENGTH));
        assertTrue(ex.getMessage().contains("TOO_MANY_KEY_UPDATES") || ex.getMessage().contains("hardly any data"),
            ex.getMessage());
        assertEquals(1, counters.get(ClientCounters.TLS_FAILURES));
    }

    /** Tickets, empty records, and whatever else an engine takes without data. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldBoundRecordsOfAnyKindWithoutData(final int bytesOfData) throws IOException
    {
        open(context);
        socket.close();
        socket = new TlsSocket(peer, new SilentTls(bytesOfData), budget, counters);
        assertTrue(connect(HOST));
        peer.inject(new byte[1 << 20]);

        final int[] received = {0};
        final SSLException ex = assertThrows(SSLException.class, () ->
        {
            while (peer.sent.length > 0)
            {
                received[0] += Math.max(0, socket.receive(destination.clear()));
            }
        });

        assertTrue(ex.getMessage().endsWith(" bytes of TLS records with hardly any data"), ex.getMessage());
        assertTrue(peer.sent.length >= (1 << 20) - (3 << 16), "after " + peer.sent.length);
        assertTrue(received[0] <= 2 * bytesOfData);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldDeliverOnlyWhatThePeerHasSent(final int kind) throws IOException
    {
        for (int seed = 0; seed < 15; seed++)
        {
            connect();
            peer.write(Arrays.copyOf(plaintext, 30_000));
            final Random random = new Random(seed * 4L + kind);
            change(kind, random);
            final byte[] received = receiveUntilRefused();
            assertTrue(received.length <= 30_000, "seed " + seed);
            assertArrayEquals(Arrays.copyOf(plaintext, received.length), received, "seed " + seed);
            close();
            counters.add(ClientCounters.TLS_HANDSHAKES, -1);
            socket = null;
        }
    }

    /** Changes a byte, removes the end of a record, repeats a record, or inserts garbage. */
    private void change(final int kind, final Random random)
    {
        final byte[] sent = peer.sent;
        final int index = random.nextInt(sent.length);
        switch (kind)
        {
            case 0:
                sent[index] ^= (byte)(1 << random.nextInt(Byte.SIZE));
                break;
            case 1:
                peer.sent = Arrays.copyOf(sent, index);
                final int next = Math.min(sent.length, index + 1 + random.nextInt(100));
                peer.inject(Arrays.copyOfRange(sent, next, sent.length));
                break;
            case 2:
                peer.inject(sent);
                break;
            default:
                final byte[] garbage = new byte[1 + random.nextInt(100)];
                random.nextBytes(garbage);
                peer.sent = Arrays.copyOf(sent, index);
                peer.inject(garbage);
                peer.inject(Arrays.copyOfRange(sent, index, sent.length));
        }
        peer.isFinished = true;
    }

    private byte[] receiveUntilRefused() throws IOException
    {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        try
        {
            int bytes = 0;
            for (int i = 0; i < MANY && bytes != PolledSocket.END_OF_STREAM; i++)
            {
                bytes = socket.receive(destination.clear());
                for (int b = 0; b < bytes; b++)
                {
                    all.write(destination.get(b));
                }
            }
            assertEquals(PolledSocket.END_OF_STREAM, bytes);
        }
        catch (final SSLException ex)
        {
            assertFalse(ex.getMessage().isEmpty());
        }
        return all.toByteArray();
    }

    @Test
    void shouldSayThatThePortDoesNotExpectTls()
    {
        open(context);
        peer.inject("HTTP/1.1 400 Bad Request\r\n".getBytes());

        assertRefused("the port does not expect TLS: its answer begins with byte 72");
    }

    @Test
    void shouldSayThatTheBrokerClosedInsteadOfAnswering()
    {
        open(context);
        peer.isMute = true;
        peer.isFinished = true;

        assertRefused("the broker closed the connection instead of answering the TLS handshake");
    }

    @Test
    void shouldNameTheHostAndTheNamesOfTheCertificate()
    {
        open(context);

        final SSLException ex = assertThrows(SSLException.class, () -> connect("other.example"));

        assertEquals("the certificate is not for host other.example but for broker.example: connect by one of these " +
            "names (advertised.listeners), or add the name to the certificate", ex.getMessage());
        assertTrue(peer.isFinished, "an alert was sent");
    }

    @Test
    void shouldCheckACertificateBeforeTheFirstConnection() throws Exception
    {
        // The warm-up ignores a failure, so its certificate is checked here.
        TlsWarmUp.checkCertificate();
    }

    @Test
    void shouldBoundTheCertificatesOfThePeer()
    {
        open(authority.issue("huge", IntStream.range(0, 5_000)
            .mapToObj((i) -> "host-number-" + i + ".example").toArray(String[]::new)).serverContext());

        assertThrows(SSLException.class, () -> connect(HOST));
    }

    @Test
    void shouldAcceptAResumedSessionWhoseCertificateWasAccepted() throws IOException
    {
        connect();
        peer.write(new byte[] {1});
        receive(LENGTH);
        final boolean isSessionKept = provider == TlsProviderType.JDK;
        final long verificationNs = counters.get(ClientCounters.TLS_VERIFICATION_NS);
        socket.close();
        peer = new TlsPeer(context, protocol);
        socket = new TlsSocket(peer, engines, budget, counters);

        assertTrue(connect(HOST));

        assertEquals(isSessionKept, counters.get(ClientCounters.TLS_VERIFICATION_NS) == verificationNs);
        assertEquals(2, counters.get(ClientCounters.TLS_HANDSHAKES));
    }
}
