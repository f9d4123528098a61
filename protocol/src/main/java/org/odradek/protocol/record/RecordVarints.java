// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.UnsafeApi;

/**
 * Reads the zig-zag varints of a record by address and checks each byte against the limit. A varint that does not end
 * before the limit or is too long for its type is read as 0 and sets {@link #isFlawed()}.
 */
final class RecordVarints
{
    private static final int MAX_VARINT_BITS = 35;
    private static final int MAX_VARLONG_BITS = 70;

    private long address;
    private int index;
    private int limit;
    private boolean flawed;

    void wrap(final long address, final int index, final int limit)
    {
        this.address = address;
        this.index = index;
        this.limit = limit;
        flawed = false;
    }

    int index()
    {
        return index;
    }

    int remaining()
    {
        return limit - index;
    }

    void limit(final int limit)
    {
        this.limit = limit;
    }

    boolean isFlawed()
    {
        return flawed;
    }

    /** True if a length or count could not be read, is less than its minimum, or is more than the bytes left. */
    boolean isImpossible(final int length, final int least)
    {
        return flawed || length < least || length > limit - index;
    }

    void skip(final int length)
    {
        index += length;
    }

    /**
     * Skips a length and as many bytes.
     *
     * @return false if the length is impossible.
     */
    boolean skipPart(final int least)
    {
        final int length = next();
        if (isImpossible(length, least))
        {
            return false;
        }
        index += Math.max(length, 0);
        return true;
    }

    int next()
    {
        final int value = (int)nextUnsigned(MAX_VARINT_BITS);
        return (value >>> 1) ^ -(value & 1);
    }

    long nextLong()
    {
        final long value = nextUnsigned(MAX_VARLONG_BITS);
        return (value >>> 1) ^ -(value & 1);
    }

    private long nextUnsigned(final int maxBits)
    {
        long value = 0;
        for (int shift = 0; shift < maxBits && index < limit; shift += 7)
        {
            final byte b = UnsafeApi.getByte(address + index++);
            value |= (b & 0x7FL) << shift;
            if (b >= 0)
            {
                return value;
            }
        }
        flawed = true;
        return 0;
    }
}
