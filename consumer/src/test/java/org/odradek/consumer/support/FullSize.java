// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

/** Whether tests read and draw as much as with {@code -Pslow}, or less, as in each {@code mvn verify}. */
public final class FullSize
{
    private static final boolean IS_FULL = Boolean.getBoolean("odradek.test.full");

    private FullSize()
    {
    }

    public static boolean isFull()
    {
        return IS_FULL;
    }

    /**
     * Returns a size.
     *
     * @param full  with {@code -Pslow}.
     * @param small otherwise.
     */
    public static int of(final int full, final int small)
    {
        return IS_FULL ? full : small;
    }
}
