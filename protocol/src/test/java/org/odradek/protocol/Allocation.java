// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;

/** Counts the bytes that the current thread allocates. */
public final class Allocation
{
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MAX_ROUNDS = 50;

    private Allocation()
    {
    }

    /**
     * Returns what so many runs allocate once warm. While the JIT compiles, its uncommon traps make this thread load
     * classes and thus allocate; rounds are repeated until one has no such trap. A task that allocates by itself never
     * has such a round.
     */
    public static long bytesOf(final int runs, final Runnable task)
    {
        long allocated = count(runs, task);
        for (int round = 1; round < MAX_ROUNDS && allocated != 0; round++)
        {
            allocated = count(runs, task);
        }
        return allocated;
    }

    private static long count(final int runs, final Runnable task)
    {
        final long threadId = Thread.currentThread().getId();
        final long before = THREADS.getThreadAllocatedBytes(threadId);
        for (int i = 0; i < runs; i++)
        {
            task.run();
        }
        return THREADS.getThreadAllocatedBytes(threadId) - before;
    }
}
