// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The work every arm does with a value: three longs, in the order of the machine's bytes, added up. The third place
 * overlaps the second by one byte, because 23 bytes hold no three whole longs side by side.
 */
final class ThreeLongs
{
    static final ByteOrder ORDER = ByteOrder.nativeOrder();
    static final int FIRST = 0;
    static final int SECOND = 8;
    static final int THIRD = 15;
    static final int SMALLEST_VALUE = THIRD + Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ORDER);

    private ThreeLongs()
    {
    }

    static long sum(final byte[] value)
    {
        return (long)LONG.get(value, FIRST) + (long)LONG.get(value, SECOND) + (long)LONG.get(value, THIRD);
    }

    /**
     * Makes every value of a topic another one, so that a record read twice or not at all changes the sum.
     */
    static void fill(final byte[] value, final long number)
    {
        LONG.set(value, FIRST, number);
        LONG.set(value, SECOND, number * 0x9E3779B97F4A7C15L);
        LONG.set(value, THIRD, number * 0xC2B2AE3D27D4EB4FL);
    }
}
