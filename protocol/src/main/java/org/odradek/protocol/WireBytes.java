// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

/** Compares names in a response with expected names, in place. */
public final class WireBytes
{
    private WireBytes()
    {
    }

    /**
     * @param buffer   that holds the bytes.
     * @param index    of the first byte.
     * @param length   number of bytes; negative for null, which equals nothing.
     * @param expected bytes to compare with.
     * @return true if they are the same.
     */
    public static boolean areEqual(
        final DirectBuffer buffer, final int index, final int length, final byte[] expected)
    {
        if (length != expected.length)
        {
            return false;
        }
        for (int i = 0; i < length; i++)
        {
            if (buffer.getByte(index + i) != expected[i])
            {
                return false;
            }
        }
        return true;
    }
}
