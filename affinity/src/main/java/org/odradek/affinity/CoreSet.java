// SPDX-License-Identifier: Apache-2.0
package org.odradek.affinity;

import java.util.BitSet;

/**
 * An immutable set of CPU cores, written as Linux writes it: {@code 0-3,8}.
 */
public final class CoreSet
{
    /** The number of cores that a set can hold, which is the limit of the largest kernels. */
    public static final int CAPACITY = 8192;

    private final BitSet cores;

    private CoreSet(final BitSet cores)
    {
        this.cores = cores;
    }

    /**
     * A set of one core.
     *
     * @param core number, 0 to {@link #CAPACITY} - 1.
     */
    public static CoreSet of(final int core)
    {
        final BitSet cores = new BitSet();
        cores.set(check(core, Integer.toString(core)));
        return new CoreSet(cores);
    }

    /**
     * Parse a list of cores as files in /sys and /proc contain it.
     *
     * @param list such as {@code 0-3,8}; empty for none.
     * @throws IllegalArgumentException if it is not such a list.
     */
    public static CoreSet parse(final String list)
    {
        final BitSet cores = new BitSet();
        for (final String range : list.strip().split(","))
        {
            if (!range.isEmpty())
            {
                final int dash = range.indexOf('-');
                final int first = number(dash < 0 ? range : range.substring(0, dash), list);
                final int last = dash < 0 ? first : number(range.substring(dash + 1), list);
                if (last < first)
                {
                    throw new IllegalArgumentException("'" + range + "' in '" + list + "' ends before it begins");
                }
                cores.set(first, last + 1);
            }
        }
        return new CoreSet(cores);
    }

    private static int number(final String digits, final String list)
    {
        try
        {
            return check(Integer.parseInt(digits), list);
        }
        catch (final NumberFormatException ex)
        {
            throw new IllegalArgumentException("'" + list + "' is not a list such as 0-3,8", ex);
        }
    }

    private static int check(final int core, final String text)
    {
        if (core < 0 || core >= CAPACITY)
        {
            throw new IllegalArgumentException(
                core + " in '" + text + "' where 0 to " + (CAPACITY - 1) + " was expected");
        }
        return core;
    }

    /** @param mask one bit for each core, lowest first, as the kernel uses it. */
    static CoreSet ofMask(final long[] mask)
    {
        return new CoreSet(BitSet.valueOf(mask));
    }

    long[] toMask()
    {
        final long[] mask = new long[CAPACITY / Long.SIZE];
        final long[] words = cores.toLongArray();
        System.arraycopy(words, 0, mask, 0, words.length);
        return mask;
    }

    /** Returns true if the core is in the set. */
    public boolean contains(final int core)
    {
        return cores.get(core);
    }

    /** Returns true if the set has no core. */
    public boolean isEmpty()
    {
        return cores.isEmpty();
    }

    /** Returns the number of cores in the set. */
    public int count()
    {
        return cores.cardinality();
    }

    /**
     * The lowest core of the set that is not below a given one.
     *
     * @param core to start at, 0 or more.
     * @return the core, or -1 if there is none.
     */
    public int nextCore(final int core)
    {
        return cores.nextSetBit(core);
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof CoreSet && cores.equals(((CoreSet) other).cores);
    }

    @Override
    public int hashCode()
    {
        return cores.hashCode();
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int first = cores.nextSetBit(0); first >= 0; )
        {
            final int end = cores.nextClearBit(first);
            text.append(text.length() == 0 ? "" : ",").append(first);
            if (end - first > 1)
            {
                text.append('-').append(end - 1);
            }
            first = cores.nextSetBit(end);
        }
        return text.toString();
    }
}
