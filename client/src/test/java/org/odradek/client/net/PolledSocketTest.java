// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayList;
import java.util.List;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.odradek.client.net.Loopback.IPV4;
import static org.odradek.client.net.Loopback.IPV6;
import static org.odradek.client.net.Loopback.LONG_NS;

@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class PolledSocketTest
{
    private static final long SHORT_NS = 50_000_000;

    private final boolean hasLowWaterMark;
    private final Poller poller;
    private PolledSocket socket;
    private Loopback loopback;
    private Socket peer;

    PolledSocketTest(final TransportType type)
    {
        hasLowWaterMark = TransportType.EPOLL == type;
        poller = Pollers.open(type);
    }

    @BeforeEach
    void openSocket() throws IOException
    {
        loopback = new Loopback(IPV4, 1);
        socket = poller.openSocket(0, 0);
    }

    @AfterEach
    void close() throws IOException
    {
        poller.close();
        loopback.close();
        if (null != peer)
        {
            peer.close();
        }
    }

    private void connect() throws IOException
    {
        peer = loopback.connect(poller, socket);
    }

    @Test
    void shouldExchangeBytesOverIpv4() throws IOException
    {
        assertExchange(IPV4);
    }

    @Test
    void shouldExchangeBytesOverIpv6() throws IOException
    {
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getByName(IPV6)) != null,
            "left out, because this machine has no ::1");
        assertExchange(IPV6);
    }

    private void assertExchange(final String literal) throws IOException
    {
        loopback.close();
        loopback = new Loopback(literal, 1);
        connect();
        socket.readInterest(true);
        Loopback.send(socket, "question");
        assertEquals("question", Loopback.read(peer, 8));
        Loopback.write(peer, "answer");
        assertEquals("answer", Loopback.receive(poller, socket, 6));
    }

    @Test
    void shouldReceiveAfterTheEndOfWhatItSends() throws IOException
    {
        connect();
        socket.readInterest(true);
        Loopback.send(socket, "last");
        socket.shutdownOutput();
        assertEquals("last", new String(peer.getInputStream().readAllBytes(), US_ASCII));

        Loopback.write(peer, "answer");
        assertEquals("answer", Loopback.receive(poller, socket, 6));
        assertThrows(IOException.class, () -> socket.send(Loopback.buffer("more")));
        peer.close();
        assertEquals(PolledSocket.END_OF_STREAM, receiveOne());
        socket.close();
        assertThrows(ClosedChannelException.class, socket::shutdownOutput);
    }

    private int receiveOne() throws IOException
    {
        int bytes = 0;
        while (bytes == PolledSocket.NOTHING)
        {
            poller.await(LONG_NS);
            bytes = socket.receive(ByteBuffer.allocateDirect(1));
        }
        return bytes;
    }

    @Test
    void shouldReportRefusedConnection() throws IOException
    {
        final InetSocketAddress address = loopback.address();
        loopback.close();

        assertThrows(ConnectException.class, () ->
        {
            assertFalse(socket.connect(address));
            while (!socket.finishConnect())
            {
                poller.await(LONG_NS);
            }
        });
    }

    @Test
    void shouldReportUnresolvedAddress()
    {
        final InetSocketAddress address = InetSocketAddress.createUnresolved("broker.invalid", 9092);

        assertThrows(UnknownHostException.class, () -> socket.connect(address));
    }

    @Test
    void shouldNotBeConnectedBeforePeerHasRoom() throws IOException
    {
        final List<PolledSocket> waiting = new ArrayList<>();
        boolean isRefusedRoom = false;
        while (!isRefusedRoom)
        {
            final PolledSocket next = poller.openSocket(0, 0);
            waiting.add(next);
            next.connect(loopback.address());
            isRefusedRoom = 0 == poller.await(100_000_000);
            assertEquals(!isRefusedRoom, next.finishConnect());
        }
        final PolledSocket last = waiting.get(waiting.size() - 1);
        assertThrows(NotYetConnectedException.class, () -> last.receive(ByteBuffer.allocateDirect(1)));

        // The peer's system accepts the next attempt to connect, which is sent after a second.
        for (int i = 1; i < waiting.size(); i++)
        {
            loopback.accept().close();
        }
        while (!last.finishConnect())
        {
            poller.await(LONG_NS);
        }
        Loopback.send(last, "in");
    }

    @Test
    void shouldConnectOnce() throws IOException
    {
        connect();
        assertTrue(socket.finishConnect());
        assertThrows(IllegalStateException.class, () -> socket.connect(loopback.address()));
    }

    @Test
    void shouldMoveBytesBetweenPositionAndLimitOnly() throws IOException
    {
        connect();
        final ByteBuffer buffer = Loopback.buffer("0123456789");
        buffer.position(3).limit(7);

        assertEquals(4, socket.send(buffer));
        assertEquals(7, buffer.position());
        assertEquals("3456", Loopback.read(peer, 4));

        Loopback.write(peer, "abcdef");
        socket.readInterest(true);
        poller.await(LONG_NS);
        buffer.position(1).limit(4);
        assertEquals(3, socket.receive(buffer));
        assertEquals(4, buffer.position());
        buffer.clear();
        final byte[] content = new byte[10];
        buffer.get(content);
        assertEquals("0abc456789", new String(content, US_ASCII));
        assertEquals("def", Loopback.receive(poller, socket, 3));
    }

    @Test
    void shouldReceiveIntoSliceOfBuffer() throws IOException
    {
        connect();
        final ByteBuffer whole = Loopback.buffer("01234567");
        final ByteBuffer slice = whole.slice(4, 2);
        Loopback.write(peer, "ab");
        socket.readInterest(true);
        poller.await(LONG_NS);

        assertEquals(2, socket.receive(slice));
        assertEquals("0123ab67", US_ASCII.decode(whole).toString());
    }

    @Test
    void shouldClearReadyFlagWhenNothingCanBeReadButNotWhenBufferIsFull() throws IOException
    {
        connect();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        socket.clearReady();
        socket.readInterest(true);
        Loopback.write(peer, "a");
        assertEquals(1, poller.await(LONG_NS));
        assertTrue(socket.isReady());

        assertEquals(1, socket.receive(buffer));
        assertEquals(PolledSocket.NOTHING, socket.receive(buffer));
        assertEquals(PolledSocket.NOTHING, socket.send(buffer));
        assertTrue(socket.isReady());

        buffer.clear();
        assertEquals(PolledSocket.NOTHING, socket.receive(buffer));
        assertFalse(socket.isReady());
    }

    @Test
    void shouldBecomeReadyAtLowWaterMark() throws IOException
    {
        connect();
        socket.clearReady();
        socket.readInterest(true);
        socket.receiveLowWaterMark(4);
        Loopback.write(peer, "abc");
        assertEquals(hasLowWaterMark ? 0 : 1, poller.await(hasLowWaterMark ? SHORT_NS : LONG_NS));

        Loopback.write(peer, "d");
        assertEquals(1, poller.await(LONG_NS));
        assertEquals("abcd", Loopback.receive(poller, socket, 4));
    }

    @Test
    void shouldReportBytesBelowLowWaterMarkOnceItIsLowered() throws IOException
    {
        connect();
        socket.readInterest(true);
        socket.receiveLowWaterMark(1 << 20);
        Loopback.write(peer, "abc");
        socket.receiveLowWaterMark(1);

        assertEquals("abc", Loopback.receive(poller, socket, 3));
    }

    @Test
    void shouldReportEndOfStream() throws IOException
    {
        connect();
        Loopback.write(peer, "last");
        peer.close();
        socket.readInterest(true);
        assertEquals("last", Loopback.receive(poller, socket, 4));

        poller.await(LONG_NS);
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        assertEquals(PolledSocket.END_OF_STREAM, socket.receive(buffer));
        assertEquals(0, buffer.position());
    }

    @Test
    void shouldThrowWhenPeerResets() throws IOException
    {
        connect();
        socket.clearReady();
        socket.readInterest(true);
        Loopback.reset(peer);

        assertEquals(1, poller.await(LONG_NS));
        assertTrue(socket.isReady());
        assertThrows(IOException.class, () -> socket.receive(ByteBuffer.allocateDirect(8)));
    }

    @Test
    void shouldBecomeReadyToWriteWhenPeerHasRead() throws IOException
    {
        connect();
        final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        socket.clearReady();
        socket.writeInterest(true);
        assertEquals(1, poller.await(LONG_NS));
        int sent = 0;
        // The kernel may make room a little later.
        while (socket.isReady() || poller.await(20_000_000) > 0)
        {
            sent += socket.send(buffer.clear());
        }

        peer.getInputStream().readNBytes(sent);
        assertEquals(1, poller.await(LONG_NS));
        assertTrue(socket.isReady());

        socket.writeInterest(false);
        assertEquals(0, poller.await(0));
    }

    @Test
    void shouldSetBufferLengthsOnlyIfRequested() throws IOException
    {
        final PolledSocket small = poller.openSocket(8192, 8192);
        assertEquals(0, socket.receiveBufferLength());
        connect();
        loopback.connect(poller, small).close();
        assertTrue(small.receiveBufferLength() >= 8192);
        assertTrue(small.receiveBufferLength() < socket.receiveBufferLength());
        socket.close();
        assertEquals(0, socket.receiveBufferLength());
    }

    @Test
    void shouldRefuseUseBeforeConnectAndAfterClose() throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(8);
        assertThrows(NotYetConnectedException.class, () -> socket.receive(buffer));
        assertThrows(NotYetConnectedException.class, () -> socket.send(buffer));
        assertThrows(NotYetConnectedException.class, () -> socket.finishConnect());
        connect();
        socket.close();
        socket.close();

        assertEquals(-1, peer.getInputStream().read());
        assertThrows(ClosedChannelException.class, () -> socket.receive(buffer));
        assertThrows(ClosedChannelException.class, () -> socket.send(buffer));
        assertThrows(ClosedChannelException.class, () -> socket.finishConnect());
        assertThrows(IllegalStateException.class, () -> socket.connect(loopback.address()));
        socket.readInterest(true);
        assertEquals(0, poller.await(0));
    }

    @Test
    void shouldSurviveInterruptedThread() throws IOException
    {
        Thread.currentThread().interrupt();
        assertFalse(socket.connect(loopback.address()) && socket.isReady());
        Thread.interrupted();
        while (!socket.finishConnect())
        {
            poller.await(LONG_NS);
        }
        peer = loopback.accept();
        Thread.currentThread().interrupt();
        Loopback.send(socket, "up");
        assertEquals(PolledSocket.NOTHING, socket.receive(ByteBuffer.allocateDirect(8)));
        assertTrue(Thread.interrupted());

        assertEquals("up", Loopback.read(peer, 2));
    }
}
