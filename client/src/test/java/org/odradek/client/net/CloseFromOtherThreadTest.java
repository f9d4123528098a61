// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Closes sockets and pollers from threads that do not own them, and checks that every file descriptor is freed.
 */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class CloseFromOtherThreadTest
{
    private static final int SOCKETS = 20;

    private final TransportType type;
    private final Loopback loopback = new Loopback(Loopback.IPV4, SOCKETS);
    private final List<Socket> peers = new ArrayList<>();

    CloseFromOtherThreadTest(final TransportType type) throws IOException
    {
        this.type = type;
    }

    @AfterEach
    void close() throws IOException
    {
        for (final Socket peer : peers)
        {
            peer.close();
        }
        loopback.close();
    }

    /** The open sockets, pipes, epoll and event descriptors. Files such as jars are opened by the JVM at any time. */
    private static int openFiles() throws IOException
    {
        int count = 0;
        for (final String name : new File("/proc/self/fd").list())
        {
            try
            {
                count += Files.readSymbolicLink(Path.of("/proc/self/fd", name)).toString().startsWith("/") ? 0 : 1;
            }
            catch (final NoSuchFileException ex)
            {
                continue; // the descriptor of the listing itself
            }
        }
        return count;
    }

    private List<PolledSocket> connect(final Poller poller) throws IOException
    {
        final List<PolledSocket> sockets = new ArrayList<>();
        for (int i = 0; i < SOCKETS; i++)
        {
            final PolledSocket socket = poller.openSocket(0, 0);
            peers.add(loopback.connect(poller, socket));
            socket.readInterest(true);
            sockets.add(socket);
        }
        return sockets;
    }

    private static <T> T onOtherThread(final Callable<T> call) throws Exception
    {
        final FutureTask<T> task = new FutureTask<>(call);
        final Thread thread = new Thread(task);
        thread.start();
        thread.join();
        return task.get();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldFreeAllFilesWhenPollerIsClosedAfterItsOwnerHasEnded() throws Exception
    {
        int filesBefore = 0;
        for (int round = 0; round < 4; round++)
        {
            // The first round makes the JDK open files of its own.
            filesBefore = round == 1 ? openFiles() : filesBefore;
            final Poller poller = Pollers.open(type);
            final List<PolledSocket> sockets = onOtherThread(() -> connect(poller));
            // A consumer closes its sockets first; its poller is closed afterwards.
            for (int i = 0; i < SOCKETS / 2; i++)
            {
                sockets.get(i).close();
                sockets.get(i).close();
            }
            poller.close();
            poller.close();
            sockets.forEach(PolledSocket::close);
            poller.wakeup();
            assertThrows(IllegalStateException.class, () -> poller.await(0));
            for (final Socket peer : peers)
            {
                assertEquals(-1, peer.getInputStream().read());
                peer.close();
            }
            peers.clear();
        }

        assertEquals(filesBefore, openFiles());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldFreeSocketsOfAWaitingOwnerInItsNextWait() throws Exception
    {
        try (Poller poller = Pollers.open(type))
        {
            // The first socket that is closed makes the JDK open files of its own.
            connect(poller).forEach(PolledSocket::close);
            poller.await(0);
            final List<PolledSocket> sockets = connect(poller);
            poller.await(0);
            final int filesBefore = openFiles();
            final CountDownLatch isWaiting = new CountDownLatch(1);
            final Thread other = new Thread(() ->
            {
                try
                {
                    isWaiting.await();
                    Thread.sleep(20);
                }
                catch (final InterruptedException ex)
                {
                    throw new AssertionError(ex);
                }
                sockets.forEach(PolledSocket::close);
            });
            other.start();
            isWaiting.countDown();
            final long startNs = System.nanoTime();
            assertEquals(0, poller.await(Loopback.LONG_NS));
            assertTrue(System.nanoTime() - startNs < Loopback.LONG_NS, "closing the sockets did not end the wait");
            other.join();
            poller.await(0);

            assertEquals(filesBefore - SOCKETS, openFiles());
            for (final Socket peer : peers)
            {
                assertEquals(-1, peer.getInputStream().read());
            }
        }
    }

    @Test
    void shouldContinuePollingOtherSocketsAfterSomeWereClosed() throws Exception
    {
        try (Poller poller = Pollers.open(type))
        {
            final List<PolledSocket> sockets = connect(poller);
            onOtherThread(() ->
            {
                for (int i = 1; i < SOCKETS; i++)
                {
                    sockets.get(i).close();
                }
                return null;
            });
            for (int i = 1; i < SOCKETS; i++)
            {
                sockets.get(i).readInterest(false);
            }
            Loopback.write(peers.get(0), "a");

            assertEquals("a", Loopback.receive(poller, sockets.get(0), 1));
            for (int i = 1; i < SOCKETS; i++)
            {
                assertEquals(-1, peers.get(i).getInputStream().read());
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldCloseOnceWhenManyThreadsClose() throws Exception
    {
        int filesBefore = 0;
        for (int round = 0; round < 20; round++)
        {
            // The first round makes the JDK open files of its own.
            filesBefore = round == 1 ? openFiles() : filesBefore;
            final Poller poller = Pollers.open(type);
            final List<PolledSocket> sockets = onOtherThread(() -> connect(poller));
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                final Thread thread = new Thread(() ->
                {
                    sockets.forEach(PolledSocket::close);
                    poller.close();
                    sockets.forEach(PolledSocket::close);
                });
                threads.add(thread);
                thread.start();
            }
            for (final Thread thread : threads)
            {
                thread.join();
            }
            sockets.forEach(PolledSocket::close);
            for (final Socket peer : peers)
            {
                peer.close();
            }
            peers.clear();
        }

        assertEquals(filesBefore, openFiles());
    }
}
