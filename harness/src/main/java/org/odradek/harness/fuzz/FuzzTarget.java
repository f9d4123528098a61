// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.fuzz;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/**
 * Code that reads bytes from a peer, by message or format: a constant of an enum. Each target has inputs in the
 * {@link Corpus} of its module. {@link FuzzCommand} lists the enums.
 */
public interface FuzzTarget
{
    /** Much more than the text of a readout takes, and much less than an unchecked length would allocate. */
    long MAX_ALLOCATION = 64L << 20;
    /** Loading and instrumenting a class also allocates this much, but only once. */
    int ATTEMPTS = 3;
    ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The name of the constant. */
    String name();

    /**
     * Reads an input.
     *
     * @return a digest of what was read.
     * @throws AssertionError if the code under test has broken a rule. Any other exception is a defect of it, too.
     */
    String digest(byte[] input);

    /** A valid input. */
    byte[] seed(Random random);

    /** The name on the command line and of the file in the corpus. */
    default String label()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Reads an input and limits what that allocates.
     *
     * @return its {@link #digest}.
     * @throws AssertionError as that, or if reading allocates too much.
     */
    default String read(final byte[] input)
    {
        long allocated = 0;
        for (int i = 0; i < ATTEMPTS; i++)
        {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            final String digest = digest(input);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated <= MAX_ALLOCATION)
            {
                return digest;
            }
        }
        throw new AssertionError(input.length + " bytes made the reader allocate " + allocated);
    }

    /** Returns the targets of an enum, which is loaded by name. */
    static FuzzTarget[] of(final String enumName)
    {
        try
        {
            return Arrays.stream(Class.forName(enumName).getEnumConstants())
                .map((target) -> (FuzzTarget)target).toArray(FuzzTarget[]::new);
        }
        catch (final ClassNotFoundException ex)
        {
            throw new IllegalArgumentException(enumName + " is not on the class path", ex);
        }
    }

    /** @throws IllegalArgumentException if there is no target with this label. */
    static FuzzTarget ofLabel(final FuzzTarget[] targets, final String label)
    {
        return Arrays.stream(targets).filter((target) -> target.label().equals(label)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException(label + " is not a fuzz target"));
    }
}
