// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.TransportType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.client.net.Loopback.LONG_NS;

@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class PollerTest extends PollerFixture
{
    private static final long FOR_EVER_NS = Long.MAX_VALUE;

    PollerTest(final TransportType type)
    {
        super(type);
    }

    @Test
    void shouldPollWithoutWaiting() throws IOException
    {
        socket.readInterest(true);
        assertEquals(0, poller.await(0));
        assertEquals(0, poller.await(-1));
        assertEquals(0, poller.await(Long.MIN_VALUE));

        Loopback.write(peer, "a");
        while (!socket.isReady())
        {
            poller.await(0);
        }
        assertEquals(1, poller.await(0));
    }

    @Test
    void shouldNotEndBeforeItsTimeHasElapsed()
    {
        socket.readInterest(true);
        for (final long timeoutNs : new long[]{1, 1_000, 125_000, 999_999, 1_000_000, 1_250_000, 12_345_678})
        {
            assertWaitsFully(timeoutNs);
        }
    }

    /** The lower bound is part of the contract and holds on the busiest machine. */
    private void assertWaitsFully(final long timeoutNs)
    {
        final long startNs = System.nanoTime();
        assertEquals(0, poller.await(timeoutNs));
        final long waitedNs = System.nanoTime() - startNs;
        assertTrue(waitedNs >= timeoutNs, () -> "waited " + waitedNs + " of " + timeoutNs + " ns");
    }

    @Test
    void shouldEndWaitWhenBytesArrive() throws Exception
    {
        socket.readInterest(true);
        final Thread writer = new Thread(() ->
        {
            try
            {
                Loopback.write(peer, "a");
            }
            catch (final IOException ex)
            {
                throw new AssertionError(ex);
            }
        });
        writer.start();

        assertEquals(1, poller.await(FOR_EVER_NS));
        assertTrue(socket.isReady());
        writer.join();
    }

    @Test
    void shouldStayReadyWhileBytesAreLeft() throws IOException
    {
        socket.readInterest(true);
        Loopback.write(peer, "ab");
        assertEquals("a", Loopback.receive(poller, socket, 1));

        socket.clearReady();
        assertEquals(1, poller.await(FOR_EVER_NS));
        assertTrue(socket.isReady());
    }

    @Test
    void shouldReportReadinessWhenInterestIsSetAgain() throws IOException
    {
        Loopback.write(peer, "a");
        assertEquals(0, poller.await(1_000_000));
        for (int i = 0; i < 3; i++)
        {
            socket.readInterest(true);
            assertEquals(1, poller.await(FOR_EVER_NS));
            assertTrue(socket.isReady());
            socket.readInterest(false);
            socket.clearReady();
            assertEquals(0, poller.await(1_000_000));
            assertFalse(socket.isReady());
        }
    }

    @Test
    void shouldReportReadinessToReadAndToWrite() throws IOException
    {
        socket.readInterest(true);
        socket.writeInterest(true);
        assertEquals(1, poller.await(FOR_EVER_NS));

        socket.writeInterest(false);
        assertEquals(0, poller.await(0));
        Loopback.write(peer, "a");
        assertEquals("a", Loopback.receive(poller, socket, 1));
    }

    @Test
    void shouldNotSpinOverUnreadBytes() throws IOException
    {
        Loopback.write(peer, "unread");

        assertSleeps();
    }

    @Test
    void shouldNotSpinAfterPeerHasClosed() throws IOException
    {
        socket.readInterest(true);
        peer.close();
        assertEquals(1, poller.await(FOR_EVER_NS));
        socket.readInterest(false);

        assertSleeps();
        socket.readInterest(true);
        assertEquals(1, poller.await(FOR_EVER_NS));
        assertEquals(PolledSocket.END_OF_STREAM, socket.receive(ByteBuffer.allocateDirect(8)));
    }

    @Test
    void shouldNotSpinAfterPeerHasReset() throws IOException
    {
        Loopback.write(peer, "unread");
        Loopback.reset(peer);

        assertSleeps();
        socket.readInterest(true);
        assertEquals(1, poller.await(FOR_EVER_NS));
        assertThrows(IOException.class, () ->
        {
            while (PolledSocket.END_OF_STREAM != socket.receive(ByteBuffer.allocateDirect(8)))
            {
                poller.await(LONG_NS);
            }
        });
    }

    @Test
    void shouldNotSpinOverSocketThatIsNotConnected()
    {
        poller.openSocket(0, 0).readInterest(true);

        assertSleeps();
    }

    private void assertSleeps()
    {
        assertSleeps(null, false);
    }

    /** Waits for a wake-up; a lost one fails the test instead of blocking it. */
    private int awaitWakeup()
    {
        final long startNs = System.nanoTime();
        final int readyCount = poller.await(LONG_NS);
        assertTrue(System.nanoTime() - startNs < LONG_NS, "nothing ended the wait");
        return readyCount;
    }

    @Test
    void shouldEndNextWaitOnceWhenWokenBefore()
    {
        poller.wakeup();
        poller.wakeup();

        assertEquals(0, awaitWakeup());
        assertWaitsFully(2_000_000);
    }

    @Test
    void shouldKeepAWakeupForTheNextWaitWhenACallDoesNotWait()
    {
        poller.wakeup();

        assertEquals(0, poller.await(0));
        assertEquals(0, poller.await(-1));
        assertEquals(0, awaitWakeup());
        assertWaitsFully(2_000_000);
    }

    @Test
    void shouldSetReadyFlagsWhenWoken() throws IOException
    {
        socket.readInterest(true);
        Loopback.write(peer, "a");
        assertEquals(1, poller.await(FOR_EVER_NS));
        socket.clearReady();
        poller.wakeup();

        assertEquals(1, poller.await(FOR_EVER_NS));
        assertTrue(socket.isReady());
    }

    @Test
    void shouldNotLoseWakeupFromOtherThread() throws Exception
    {
        final int rounds = 20_000;
        final AtomicInteger requested = new AtomicInteger();
        final AtomicInteger seen = new AtomicInteger();
        final Thread waker = new Thread(() ->
        {
            for (int round = 1; round <= rounds; round++)
            {
                requested.set(round);
                poller.wakeup();
                while (seen.get() < round && !Thread.currentThread().isInterrupted())
                {
                    Thread.onSpinWait();
                }
            }
        });
        waker.start();
        try
        {
            // Calls that do not wait must not consume a wake-up that is meant for the wait.
            while (seen.get() < rounds)
            {
                awaitWakeup();
                seen.set(requested.get());
                poller.await(0);
                seen.set(requested.get());
            }
        }
        finally
        {
            waker.interrupt();
            waker.join();
        }
    }

    @Test
    void shouldEndAtOnceOnInterruptedThreadAndKeepFlag() throws IOException
    {
        Thread.currentThread().interrupt();
        assertEquals(0, awaitWakeup());
        assertTrue(Thread.currentThread().isInterrupted());

        socket.readInterest(true);
        Loopback.write(peer, "a");
        while (!socket.isReady())
        {
            assertTrue(awaitWakeup() <= 1);
        }
        assertTrue(Thread.interrupted());
        assertEquals("a", Loopback.receive(poller, socket, 1));
        assertWaitsFully(2_000_000);
    }

    /**
     * Until JDK 20 {@link Thread#interrupt()} reads the blocked channel before it sets the flag, so an interrupt at the
     * very beginning of the wait can fail to end it. The test repeats it until it is seen.
     */
    @Test
    void shouldEndWaitWhenInterrupted() throws Exception
    {
        final int rounds = 1_000;
        final Thread waiter = Thread.currentThread();
        final AtomicInteger seen = new AtomicInteger();
        final Thread interrupter = new Thread(() ->
        {
            while (seen.get() < rounds && !Thread.currentThread().isInterrupted())
            {
                final int round = seen.get();
                waiter.interrupt();
                final long repeatNs = System.nanoTime() + 10_000_000;
                while (seen.get() == round && System.nanoTime() - repeatNs < 0)
                {
                    Thread.onSpinWait();
                }
            }
        });
        interrupter.start();
        try
        {
            while (seen.get() < rounds)
            {
                awaitWakeup();
                if (Thread.interrupted())
                {
                    seen.incrementAndGet();
                }
            }
        }
        finally
        {
            interrupter.interrupt();
            while (interrupter.isAlive())
            {
                Thread.interrupted();
                Thread.onSpinWait();
            }
        }

        socket.readInterest(true);
        Loopback.write(peer, "a");
        assertEquals("a", Loopback.receive(poller, socket, 1));
    }

    @Test
    void shouldBelongToOneThread() throws Exception
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread other = new Thread(() -> poller.await(0));
        other.setUncaughtExceptionHandler((thread, ex) -> thrown.set(ex));
        other.start();
        other.join();

        assertInstanceOf(IllegalStateException.class, thrown.get());
        assertEquals(0, poller.await(0));
    }

    @Test
    void shouldCloseSocketsAndMoreThanOnceAndFromOtherThread() throws Exception
    {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread other = new Thread(poller::close);
        other.setUncaughtExceptionHandler((thread, ex) -> thrown.set(ex));
        other.start();
        other.join();
        poller.close();

        assertNull(thrown.get());
        assertEquals(-1, peer.getInputStream().read());
        socket.close();
        poller.wakeup();
        assertThrows(IllegalStateException.class, () -> poller.await(0));
    }
}
