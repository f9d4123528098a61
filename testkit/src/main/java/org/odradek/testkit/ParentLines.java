// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What the parent says to a child JVM by {@link JavaProcess#send(String)}, line by line. When there is nothing more to
 * come, this JVM ends: its parent has closed or killed it, or is gone itself.
 */
public final class ParentLines
{
    // Without a bound: whoever hands lines over also watches for the end of the parent, and must never be held up.
    private static final BlockingQueue<String> LINES = new LinkedBlockingQueue<>();

    private ParentLines()
    {
    }

    /**
     * Waits for the next line.
     *
     * @return the line, without what ended it.
     * @throws InterruptedException if this thread is interrupted.
     */
    public static String take() throws InterruptedException
    {
        return LINES.take();
    }

    static void add(final String line)
    {
        LINES.add(line);
    }
}
