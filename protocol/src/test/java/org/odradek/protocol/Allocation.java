// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.odradek.testkit.AllocationMeter;

/** Counts the bytes that the current thread allocates. */
public final class Allocation
{
    private static final int MAX_ROUNDS = 50;

    private Allocation()
    {
    }

    /** Returns the fewest bytes that so many runs of a task allocate, see {@link AllocationMeter#leastBytes}. */
    public static long bytesOf(final int runs, final Runnable task)
    {
        return new AllocationMeter().leastBytes(MAX_ROUNDS, () ->
        {
            for (int i = 0; i < runs; i++)
            {
                task.run();
            }
        });
    }
}
