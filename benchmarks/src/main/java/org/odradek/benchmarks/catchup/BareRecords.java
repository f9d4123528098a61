// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.agrona.UnsafeApi;

import static org.odradek.benchmarks.bare.BareFetch.expect;

/**
 * The records of one uncompressed batch, parsed in place by plain addresses.
 * <pre>length | attributes | timestamp delta | offset delta | key length | key | value length | value | headers</pre>
 */
final class BareRecords
{
    private static final int VARINT_LENGTH_BITS = 4;
    private static final int VARINT_LENGTH_MASK = (1 << VARINT_LENGTH_BITS) - 1;

    private BareRecords()
    {
    }

    static void read(final long firstAddress, final long limit, final int count, final Tally tally)
    {
        long sum = 0;
        long bytes = 0;
        long address = firstAddress;
        for (int i = 0; i < count; i++)
        {
            final long length = varint(address);
            address += length & VARINT_LENGTH_MASK;
            final long next = address + (length >> VARINT_LENGTH_BITS);
            address = skipVarint(address + 1);

            final long offsetDelta = varint(address);
            address += offsetDelta & VARINT_LENGTH_MASK;
            final long keyLength = varint(address);
            address += (keyLength & VARINT_LENGTH_MASK) + Math.max(0, keyLength >> VARINT_LENGTH_BITS);
            final long valueLengthField = varint(address);
            address += valueLengthField & VARINT_LENGTH_MASK;
            final long valueLength = valueLengthField >> VARINT_LENGTH_BITS;
            if (offsetDelta >> VARINT_LENGTH_BITS != i || valueLength < ThreeLongs.SMALLEST_VALUE ||
                address + valueLength > next || next > limit)
            {
                expect("record", false, i);
            }

            sum += UnsafeApi.getLong(address + ThreeLongs.FIRST) + UnsafeApi.getLong(address + ThreeLongs.SECOND) +
                UnsafeApi.getLong(address + ThreeLongs.THIRD);
            bytes += valueLength;
            address = next;
        }
        expect("end of batch", address == limit, limit - address);
        tally.addAll(count, bytes, sum);
    }

    /**
     * The value above its own length in bytes, because a method returns one thing and a field would be a store.
     */
    private static long varint(final long address)
    {
        final int first = UnsafeApi.getByte(address);
        if (first >= 0)
        {
            return pack(first, 1);
        }
        final int second = UnsafeApi.getByte(address + 1);
        return second >= 0 ? pack(first & 0x7F | second << 7, 2) : longVarint(address);
    }

    private static long longVarint(final long address)
    {
        int value = 0;
        for (int i = 0; i < 5; i++)
        {
            final int next = UnsafeApi.getByte(address + i);
            value |= (next & 0x7F) << 7 * i;
            if (next >= 0)
            {
                return pack(value, i + 1);
            }
        }
        throw new IllegalStateException("bare loop: a varint of more than five bytes");
    }

    private static long pack(final int zigzag, final int length)
    {
        return (long)(zigzag >>> 1 ^ -(zigzag & 1)) << VARINT_LENGTH_BITS | length;
    }

    private static long skipVarint(final long address)
    {
        long next = address;
        while (UnsafeApi.getByte(next) < 0)
        {
            next++;
        }
        return next + 1;
    }
}
