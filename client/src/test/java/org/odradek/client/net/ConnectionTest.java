// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.support.MemorySocket;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.protocol.WireFormatException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks how many bytes a connection waits for, with a socket that delivers what the test has sent. */
class ConnectionTest
{
    private static final int LARGE = 300_000;
    private static final int BUFFER_LENGTH = 1_000;
    private static final int MAX_LENGTH = 1 << 20;
    private static final int REQUEST_LENGTH = 12;

    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private final RequestFrame request = new RequestFrame(budget, REQUEST_LENGTH);
    private final PeerPoller poller = new PeerPoller();
    private long nowNs = Long.MAX_VALUE;
    private final DutyClock clock = new DutyClock(() -> nowNs, System::currentTimeMillis);
    private final Connection connection = new Connection(
        new ClientSettings(), poller, clock, new CounterWriter(), ClientListener.NONE,
        new ReceiveBuffer(budget, BUFFER_LENGTH, MAX_LENGTH));

    private void connect() throws IOException
    {
        assertTrue(connection.connect(1, InetSocketAddress.createUnresolved("localhost", 1)));
        connection.receiveBuffer.maxSize(Integer.MAX_VALUE);
    }

    private ByteBuffer requestResponse(final int length) throws IOException
    {
        final int correlationId = connection.nextCorrelationId();
        connection.send(request, REQUEST_LENGTH);
        return ByteBuffer.allocate(length).putInt(length - Integer.BYTES).putInt(correlationId).rewind();
    }

    private void receive(final ByteBuffer response, final int length) throws IOException
    {
        poller.socket.arrived = response.slice(response.position(), length);
        response.position(response.position() + length);
        connection.receive(true);
        assertTrue(poller.socket.lowWaterMark <= Math.max(1, response.remaining()),
            poller.socket.lowWaterMark + " of " + response.remaining());
    }

    @AfterEach
    void free()
    {
        connection.free();
        request.free();
        assertEquals(0, budget.heldBytes());
    }

    @Test
    void shouldWaitForManyBytesOfALargeFrameAndNeverBeyondItsEnd() throws IOException
    {
        connect();
        final ByteBuffer response = requestResponse(LARGE);
        receive(response, 3);
        assertEquals(1, poller.socket.lowWaterMark);
        receive(response, 1);
        final int mark = poller.socket.lowWaterMark;
        assertTrue(mark > 1 << 16);
        while (response.remaining() > 100)
        {
            receive(response, Math.min(10_000, response.remaining() - 100));
            assertEquals(Math.min(mark, response.remaining()), poller.socket.lowWaterMark);
        }
        assertFalse(connection.hasResponse);

        receive(response, 100);

        assertTrue(connection.hasResponse);
        assertEquals(1, poller.socket.lowWaterMark);
        requestResponse(LARGE);
        assertEquals(LARGE, poller.socket.lowWaterMark, "while the response is held");
        connection.park();
        connection.release();
        assertEquals(1, poller.socket.lowWaterMark);
    }

    // Behaviour O169.
    @Test
    void shouldReadTheResponsesToTwoRequestsOneByOne() throws IOException
    {
        connect();
        assertFalse(connection.canFollow(), "nothing is outstanding");
        final ByteBuffer first = requestResponse(100);
        assertTrue(connection.canFollow());
        assertFalse(connection.canSend());
        final ByteBuffer second = requestResponse(200);
        assertFalse(connection.canFollow());
        poller.socket.arrived = ByteBuffer.allocate(300).put(first).put(second).flip();

        connection.receive(true);
        assertTrue(connection.hasResponse);
        assertEquals(100, connection.receiveBuffer.received());
        assertEquals(200, poller.socket.arrived.remaining());
        assertFalse(connection.canFollow(), "a response is held");
        connection.release();
        assertTrue(connection.canFollow());
        connection.receive(true);
        assertEquals(200, connection.receiveBuffer.received());
        connection.release();
        assertTrue(connection.canSend() && connection.isQuiet());
    }

    @Test
    void shouldBeginTheTimeoutOfTheSecondRequestWithTheResponseToTheFirst() throws IOException
    {
        connect();
        final long farNs = nowNs + TimeUnit.HOURS.toNanos(1);
        final ByteBuffer first = requestResponse(100);
        final long deadlineNs = connection.nextDeadlineNs(farNs);
        nowNs += TimeUnit.SECONDS.toNanos(10);
        clock.update();
        requestResponse(100);
        assertEquals(deadlineNs, connection.nextDeadlineNs(farNs));

        poller.socket.arrived = first;
        connection.receive(true);
        connection.release();
        assertEquals(deadlineNs + TimeUnit.SECONDS.toNanos(10), connection.nextDeadlineNs(farNs));
    }

    @Test
    void shouldRefuseTheResponseToTheSecondRequestBeforeTheFirst() throws IOException
    {
        connect();
        requestResponse(100);
        poller.socket.arrived = requestResponse(100);

        assertThrows(WireFormatException.class, () -> connection.receive(true));
    }

    /** A member of a group that is fenced waits while it holds a response, perhaps longer than a request may take. */
    @Test
    void shouldNotEndWaitsForTheTimeoutOfARequestWhileAResponseIsHeld() throws IOException
    {
        connect();
        receive(requestResponse(100), 100);
        requestResponse(100);
        final long laterNs = nowNs + TimeUnit.HOURS.toNanos(1);

        assertEquals(laterNs, connection.nextDeadlineNs(laterNs));
        connection.release();
        assertTrue(connection.nextDeadlineNs(laterNs) - laterNs < 0);
    }

    @Test
    void shouldNotLeaveTheTimeOutOfARoundTripInWhichTheThreadStoodStill() throws IOException
    {
        connect();
        final ByteBuffer response = requestResponse(100);
        nowNs += 100_000;
        clock.update();
        nowNs += 25_000_000;
        receive(response, 100);

        assertEquals(25_100_000, connection.roundTripNs);
    }

    @Test
    void shouldNotWaitForMoreOfASmallFrame() throws IOException
    {
        connect();
        final ByteBuffer response = requestResponse(50_000);
        receive(response, 100);
        receive(response, 49_900);

        assertTrue(connection.hasResponse);
        assertEquals(0, poller.socket.changes);
    }

    @Test
    void shouldWaitForOneByteAfterItHasReconnected() throws IOException
    {
        connect();
        receive(requestResponse(LARGE), 100);
        assertTrue(poller.socket.lowWaterMark > 1);
        connection.close();

        connect();
        receive(requestResponse(LARGE), 3);

        assertEquals(0, poller.socket.changes);
        receive(requestResponse(LARGE).position(3), 1_000);
        assertTrue(poller.socket.lowWaterMark > 1, "the new socket is asked for it again");
    }

    // Behaviour P211, tried 2026-11-29: A request times out in real time, also if polls are minutes apart, when two
    // reads, a second or more apart, do not find the response. Time in which the previous response is delivered does
    // not count. Each 64 KiB of a slow response renews the timeout, up to ten timeouts in all.
    @Test
    void shouldRenewTheTimeoutWithTheBytesOfALargeResponse() throws IOException
    {
        connect();
        final ByteBuffer response = requestResponse(LARGE);
        for (int i = 0; i < 4; i++)
        {
            passSeconds(29);
            assertFalse(connection.isOverdue());
            receive(response, 1 << 16);
        }
        passSeconds(31);
        assertTrue(connection.isOverdue());
    }

    // Behaviour P211.
    @Test
    void shouldNotRenewTheTimeoutWithFewBytesOrForEver() throws IOException
    {
        connect();
        final ByteBuffer small = requestResponse(LARGE);
        passSeconds(29);
        receive(small, (1 << 16) - 1);
        passSeconds(2);
        assertTrue(connection.isOverdue());
        connection.close();
        connect();

        final ByteBuffer large = requestResponse(MAX_LENGTH);
        for (int i = 0; i < 12; i++)
        {
            assertFalse(connection.isOverdue());
            passSeconds(24);
            receive(large, 1 << 16);
        }
        passSeconds(13);
        assertTrue(connection.isOverdue(), "after ten request timeouts");
    }

    /** Polls that are far apart, as those of a slow handler. */
    // Behaviour P211.
    @Test
    void shouldTimeOutAtTheSecondReadAfterTheDeadlineHoweverLongThePauses() throws IOException
    {
        connect();
        requestResponse(100);
        pause(29);
        assertFalse(connection.isOverdue());
        pause(60);
        assertTrue(connection.isOverdue());
        assertFalse(connection.missResponse(), "what has arrived meanwhile may not have been read");
        assertEquals(nowNs + TimeUnit.SECONDS.toNanos(1), connection.nextDeadlineNs(nowNs + TimeUnit.HOURS.toNanos(1)));
        pause(60);
        assertTrue(connection.isOverdue() && connection.missResponse());
    }

    // Behaviour P211.
    @Test
    void shouldTimeOutASecondAfterTheFirstReadAtTheEarliest() throws IOException
    {
        connect();
        requestResponse(100);
        pause(31);
        assertFalse(connection.missResponse());
        nowNs += TimeUnit.MILLISECONDS.toNanos(999);
        clock.update();
        assertFalse(connection.missResponse());
        nowNs += TimeUnit.MILLISECONDS.toNanos(1);
        clock.update();
        assertTrue(connection.missResponse());
    }

    /** The bytes of a pause prove that the peer has answered in time. */
    @Test
    void shouldBeginAgainWithTheBytesThatWereNotReadDuringAPause() throws IOException
    {
        connect();
        final ByteBuffer response = requestResponse(LARGE);
        pause(60);
        assertTrue(connection.isOverdue() && !connection.missResponse());
        receive(response, 1 << 16);
        assertFalse(connection.isOverdue());
        pause(31);
        assertTrue(connection.isOverdue());
        assertFalse(connection.missResponse(), "the first read after this deadline");
    }

    /** The duty cycle in which the frame is released may have begun before it was delivered. */
    // Behaviour P211.
    @Test
    void shouldNotCountTheTimeInWhichTheFrameBeforeWasHeld() throws IOException
    {
        connect();
        receive(requestResponse(100), 100);
        requestResponse(100);
        nowNs += TimeUnit.HOURS.toNanos(1);
        connection.release();
        pause(29);
        assertFalse(connection.isOverdue());
        pause(2);
        assertTrue(connection.isOverdue());
    }

    // Behaviour P211.
    @Test
    void shouldBeginTheTimeoutWithTheLastByteOfTheRequest() throws IOException
    {
        connect();
        poller.socket.room = 1;
        requestResponse(100);
        for (int i = 1; i < REQUEST_LENGTH - 1; i++)
        {
            pause(24);
            connection.flush();
            assertFalse(connection.isOverdue());
        }
        pause(29);
        connection.flush();
        pause(29);
        assertFalse(connection.isOverdue());
        pause(2);
        assertTrue(connection.isOverdue());
    }

    // Behaviour B25, tried 2026-11-29: A partial send continues where it stopped, and sends each byte once.
    @Test
    void shouldSendEachByteOfARequestOnceAlthoughTheSocketTakesFewAtATime() throws IOException
    {
        final ByteBuffer expected = ByteBuffer.allocate(REQUEST_LENGTH);
        while (expected.hasRemaining())
        {
            final byte next = (byte)(expected.position() + 1);
            request.buffer().putByte(expected.position(), next);
            expected.put(next);
        }
        connect();
        poller.socket.room = 5;
        requestResponse(100);
        assertFalse(connection.isSent());
        connection.flush();
        assertFalse(connection.isSent());
        connection.flush();
        assertTrue(connection.isSent());
        assertEquals(0, connection.flush());

        assertEquals(expected.flip(), poller.socket.taken.flip());
    }

    /** A peer may take one byte now and then, for ever. */
    @Test
    void shouldNotRenewTheTimeoutOfARequestThatIsWrittenSlowlyForEver() throws IOException
    {
        connect();
        poller.socket.room = 1;
        requestResponse(100);
        for (int i = 0; i < 10; i++)
        {
            pause(29);
            connection.flush();
            assertFalse(connection.isOverdue());
        }
        pause(11);
        assertTrue(connection.isOverdue(), "after ten request timeouts");
    }

    /** The frame of a request may be used again as soon as its response has arrived. */
    @Test
    void shouldRefuseAResponseBeforeTheRequestIsSentCompletely() throws IOException
    {
        connect();
        poller.socket.room = REQUEST_LENGTH - 1;
        final ByteBuffer response = requestResponse(100);

        assertEquals("a response to a request that was not sent completely",
            assertThrows(WireFormatException.class, () -> receive(response, 100)).getMessage());
    }

    /** No duty cycle begins meanwhile. */
    private void pause(final int seconds)
    {
        nowNs += TimeUnit.SECONDS.toNanos(seconds);
        clock.update();
    }

    private void passSeconds(final int seconds)
    {
        for (int i = 0; i < seconds; i++)
        {
            nowNs += TimeUnit.SECONDS.toNanos(1);
            clock.update();
        }
    }

    /** Opens sockets that keep the last mark. */
    private static final class PeerPoller implements Poller
    {
        private PeerSocket socket;

        @Override
        public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
        {
            socket = new PeerSocket();
            return socket;
        }

        @Override
        public int await(final long timeoutNs)
        {
            return 0;
        }

        @Override
        public void wakeup()
        {
        }

        @Override
        public String description()
        {
            return "test";
        }

        @Override
        public void close()
        {
        }
    }

    /** Takes what is sent, as far as there is room, and delivers what the test lets arrive. */
    private static final class PeerSocket extends MemorySocket
    {
        private int lowWaterMark = 1;
        private int changes;
        private int room = Integer.MAX_VALUE;
        private final ByteBuffer taken = ByteBuffer.allocate(1_000);
        private ByteBuffer arrived = ByteBuffer.allocate(0);

        @Override
        public int receive(final ByteBuffer buffer)
        {
            final int length = Math.min(buffer.remaining(), arrived.remaining());
            buffer.put(arrived.slice(arrived.position(), length));
            arrived.position(arrived.position() + length);
            return length;
        }

        @Override
        public int send(final ByteBuffer buffer)
        {
            final int length = Math.min(room, buffer.remaining());
            taken.put(buffer.slice(buffer.position(), length));
            buffer.position(buffer.position() + length);
            return length;
        }

        @Override
        public void receiveLowWaterMark(final int length)
        {
            lowWaterMark = length;
            changes++;
        }

        @Override
        public boolean isReady()
        {
            return true;
        }
    }
}
