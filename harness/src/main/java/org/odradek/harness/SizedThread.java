// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** A daemon thread with a stack of a chosen size, on which a test runs code that may overflow it or never end. */
public final class SizedThread
{
    /** Overflows in the JDK's parser of certificates even once that was compiled. */
    public static final long SMALL_STACK = 256 << 10;
    public static final long LARGE_STACK = 8 << 20;
    /** Far longer than anything needs, even on an overloaded machine. */
    private static final long LIMIT_MS = TimeUnit.SECONDS.toMillis(90);

    private SizedThread()
    {
    }

    /** What runs on the thread. */
    public interface Task
    {
        void run() throws Throwable;
    }

    /**
     * Runs a task and waits until it has ended.
     *
     * @param stackLength in bytes.
     * @throws AssertionError if it does not end; the message says where it is.
     * @throws Throwable      that the task has thrown.
     */
    public static void run(final long stackLength, final Task task) throws Throwable
    {
        final Throwable[] thrown = new Throwable[1];
        final Thread thread = new Thread(null, () ->
        {
            try
            {
                task.run();
            }
            catch (final Throwable ex)
            {
                thrown[0] = ex;
            }
        }, "stack of " + stackLength, stackLength);
        thread.setDaemon(true);
        thread.start();
        thread.join(LIMIT_MS);
        if (thread.isAlive())
        {
            throw new AssertionError("The thread has not ended after " + LIMIT_MS + " ms: " +
                Arrays.toString(thread.getStackTrace()));
        }
        if (thrown[0] != null)
        {
            throw thrown[0];
        }
    }
}
