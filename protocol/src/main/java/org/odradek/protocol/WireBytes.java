// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

/** Names on the wire, compared where they lie. */
public final class WireBytes
{
    private WireBytes()
    {
    }

    /**
     * @param buffer   that holds the bytes.
     * @param index    of the first.
     * @param length   how many there are; negative for null, which equals nothing.
     * @param expected what they may be.
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
