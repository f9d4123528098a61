// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * What every client reads of a value: three longs, in the byte order of the machine. The third overlaps the second by
 * one byte, because 23 bytes do not hold three whole longs side by side.
 */
public final class ThreeLongs
{
    public static final ByteOrder ORDER = ByteOrder.nativeOrder();
    public static final int FIRST = 0;
    public static final int SECOND = 8;
    public static final int THIRD = 15;
    public static final int SMALLEST_VALUE = THIRD + Long.BYTES;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ORDER);

    private ThreeLongs()
    {
    }

    public static long first(final byte[] value)
    {
        return (long)LONG.get(value, FIRST);
    }

    /** @return the sum of the second and the third. */
    public static long others(final byte[] value)
    {
        return (long)LONG.get(value, SECOND) + (long)LONG.get(value, THIRD);
    }

    public static long sum(final byte[] value)
    {
        return first(value) + others(value);
    }

    /**
     * Makes each value of a topic different, so that a record read twice or not at all changes the sum: the second and
     * the third of the longs follow from the number of the record. Returns the value.
     */
    public static byte[] fill(final byte[] value, final long first, final long number)
    {
        LONG.set(value, FIRST, first);
        LONG.set(value, SECOND, number * 0x9E3779B97F4A7C15L);
        LONG.set(value, THIRD, number * 0xC2B2AE3D27D4EB4FL);
        return value;
    }
}
