// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The lines that a child JVM has received from its parent through {@link JavaProcess#send(String)}. */
public final class ParentLines
{
    /**
     * This queue is unbounded, because the thread that adds lines also waits for the end of the parent and must never
     * block.
     */
    private static final BlockingQueue<String> LINES = new LinkedBlockingQueue<>();

    private ParentLines()
    {
    }

    public static String take() throws InterruptedException
    {
        return LINES.take();
    }

    /** Returns true if {@link #take()} would wait; allocates nothing. */
    public static boolean isEmpty()
    {
        return LINES.isEmpty();
    }

    static void add(final String line)
    {
        LINES.add(line);
    }
}
