// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.junit.jupiter.api.Test;
import org.odradek.client.PolledSocket;
import org.odradek.testkit.Await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Waits for sockets of a server in this JVM. */
class ReaderPollerTest
{
    private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);

    private int endedPolls;

    private ReaderPoller poller()
    {
        final ReaderPoller poller = new ReaderPoller();
        poller.onIdle(() -> endedPolls++);
        return poller;
    }

    private static CompletableFuture<Void> wait(final ReaderPoller poller, final long timeoutNs)
    {
        poller.beginPoll();
        assertEquals(0, poller.await(timeoutNs));
        return poller.whenReady();
    }

    @Test
    void shouldCompleteTheFutureWhenBytesArrive() throws Exception
    {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            ReaderPoller poller = poller();
            ReaderPoller other = poller())
        {
            final long startNs = System.nanoTime();
            final CompletableFuture<Void> unrelated = wait(other, FAR_NS);
            final PolledSocket socket = connect(poller, server);
            try (Socket accepted = server.accept())
            {
                socket.readInterest(true);
                final ByteBuffer buffer = ByteBuffer.allocateDirect(8);
                for (int i = 1; i <= 100; i++)
                {
                    final CompletableFuture<Void> ready = wait(poller, FAR_NS);
                    accepted.getOutputStream().write(i);
                    ready.get();
                    poller.beginPoll();
                    assertTrue(socket.isReady());
                    assertEquals(1, socket.receive(buffer.clear()));
                    assertEquals(i, buffer.get(0));
                    assertEquals(PolledSocket.NOTHING, socket.receive(buffer));
                    assertFalse(socket.isReady());
                }
                accepted.shutdownOutput();
                wait(poller, FAR_NS).get();
                assertEquals(PolledSocket.END_OF_STREAM, socket.receive(buffer.clear()));
            }
            // The other reader sleeps for a second, which a busy machine exceeds.
            assertTrue(!unrelated.isDone() || System.nanoTime() - startNs >= 1_000_000_000L,
                "the other reader slept on");
        }
    }

    private static PolledSocket connect(final ReaderPoller poller, final ServerSocket server)
        throws IOException, InterruptedException, ExecutionException
    {
        final PolledSocket socket = poller.openSocket(0, 0);
        if (!socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort())))
        {
            while (!socket.finishConnect())
            {
                wait(poller, FAR_NS).get();
            }
        }
        assertTrue(socket.receiveBufferLength() > 0);
        return socket;
    }

    @Test
    void shouldCompleteTheFutureAtItsDeadline() throws Exception
    {
        try (ReaderPoller poller = poller())
        {
            wait(poller, 1).get();
            wait(poller, TimeUnit.MILLISECONDS.toNanos(20)).get();
            assertEquals(2, endedPolls);
        }
    }

    @Test
    void shouldCompleteTheFutureWhenWoken() throws Exception
    {
        try (ReaderPoller poller = poller())
        {
            final CompletableFuture<Void> ready = wait(poller, FAR_NS);
            poller.wake();
            ready.get();

            poller.beginPoll();
            assertTrue(poller.whenReady().isDone(), "the poll did not end because it was idle");
        }
    }

    @Test
    void shouldEndTheThreadWithTheLastPoller()
    {
        Await.until("the end of the waiter of an earlier test", () -> waiters() == 0);
        try (ReaderPoller first = poller())
        {
            try (ReaderPoller second = poller())
            {
                assertEquals(1, waiters());
                assertTrue(first.whenReady().isDone() && second.whenReady().isDone());
            }
            assertEquals(1, waiters());
        }
        Await.until("the end of the waiter", () -> waiters() == 0);
    }

    private static long waiters()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> thread.getName().equals(ReadinessWaiter.THREAD_NAME)).count();
    }
}
