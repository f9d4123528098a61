// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.ThreadUsage;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests waits that a signal interrupts, such as that of a profiler, in a JVM in which nothing else has run. */
class InterruptedWaitTest
{
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long SUSPENSION_NS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final int WARM_UP_WAITS = 3;
    private static final int INTERRUPTED_WAITS = 3;
    private static final long LIMIT_SECONDS = 120;

    @Tag("zero-allocation")
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldAllocateNothingWhenASignalInterruptsAWait(final TransportType type)
    {
        final List<String> lines = new CopyOnWriteArrayList<>();
        try (JavaProcess process = JavaProcess.of(Waits.class)
            .args(type.name()).startingQuickly().onStdout(lines::add).start())
        {
            Await.until("its waits", () -> !lines.isEmpty() || !process.isAlive());
            while (process.isAlive() && lines.size() < 2)
            {
                process.suspend();
                LockSupport.parkNanos(SUSPENSION_NS);
                process.resume();
                LockSupport.parkNanos(WAIT_NS);
            }
            assertEquals(0, process.exitCode(LIMIT_SECONDS, TimeUnit.SECONDS), process::outputTail);
        }
        assertTrue(lines.get(1).endsWith(" bytes=0"), lines::toString);
    }

    /** The main class of that JVM. */
    public static final class Waits
    {
        /** Waits until some waits have lasted much longer, and prints the bytes that the thread has allocated. */
        public static void main(final String[] args)
        {
            final Poller poller = Pollers.open(TransportType.valueOf(args[0]));
            final long thread = Thread.currentThread().getId();
            for (int i = 0; i < WARM_UP_WAITS; i++)
            {
                poller.await(WAIT_NS);
                ThreadUsage.allocatedBytes(thread);
            }
            System.out.println("It waits.");
            final long before = ThreadUsage.allocatedBytes(thread);
            int interrupted = 0;
            while (interrupted < INTERRUPTED_WAITS)
            {
                final long beginNs = System.nanoTime();
                poller.await(WAIT_NS);
                interrupted += System.nanoTime() - beginNs > SUSPENSION_NS / 2 ? 1 : 0;
            }
            final long allocated = ThreadUsage.allocatedBytes(thread) - before;
            System.out.println(args[0] + " bytes=" + allocated);
            poller.close();
        }
    }
}
