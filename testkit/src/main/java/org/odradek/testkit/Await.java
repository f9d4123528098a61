// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits until a condition holds, instead of sleeping for a fixed time. */
public final class Await
{
    /** The time limit of {@link #until(String, BooleanSupplier)} in milliseconds. */
    public static final long DEFAULT_TIMEOUT_MS = 120_000;

    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private Await()
    {
    }

    /**
     * Waits until a condition is true, for at most {@link #DEFAULT_TIMEOUT_MS}; see {@link #until(String, long,
     * BooleanSupplier)}.
     */
    public static void until(final String what, final BooleanSupplier condition)
    {
        until(what, DEFAULT_TIMEOUT_MS, condition);
    }

    /**
     * Waits until a condition is true.
     *
     * @param what      description of the condition, which the message of an exception contains after "Timed out
     *                  waiting for: ".
     * @param timeoutMs time limit in milliseconds.
     * @param condition condition that the calling thread checks about every 5 ms.
     * @throws IllegalStateException if the condition is still false after the time limit, or the thread was
     *                               interrupted; the interrupt flag stays set.
     */
    public static void until(final String what, final long timeoutMs, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (!condition.getAsBoolean())
        {
            if (deadlineNs - System.nanoTime() < 0)
            {
                throw new IllegalStateException("Timed out waiting for: " + what + " (" + timeoutMs + " ms).");
            }
            if (Thread.currentThread().isInterrupted())
            {
                throw new IllegalStateException("Interrupted while waiting for: " + what + ".");
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
