// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * Receives the three longs of every value, and keeps the last 1,024 values in an array, so that the JIT cannot drop the
 * reads. It counts gaps and wrong values: each value holds its own offset.
 */
final class ValueSink
{
    private static final int LONGS_PER_VALUE = 3;
    private static final int VALUES_KEPT = 1024;
    private static final long NULL_OFFSET = -1;

    private long nextOffset = NULL_OFFSET;
    private long records;
    private long gaps;
    private long wrongValues;
    private final long[] kept = new long[LONGS_PER_VALUE * VALUES_KEPT];

    void onValue(final long offset, final long first, final long second, final long third)
    {
        if (offset != nextOffset && nextOffset != NULL_OFFSET)
        {
            gaps++;
        }
        if (first != offset)
        {
            wrongValues++;
        }
        nextOffset = offset + 1;

        final int index = (int) (records & (VALUES_KEPT - 1)) * LONGS_PER_VALUE;
        kept[index] = first;
        kept[index + 1] = second;
        kept[index + 2] = third;
        records++;
    }

    void onWrongLength()
    {
        wrongValues++;
    }

    long nextOffset()
    {
        return nextOffset;
    }

    long records()
    {
        return records;
    }

    long gaps()
    {
        return gaps;
    }

    long wrongValues()
    {
        return wrongValues;
    }

    /**
     * @return a sum of the kept values.
     */
    long checksum()
    {
        long sum = 0;
        for (final long value : kept)
        {
            sum = sum * 31 + value;
        }
        return sum;
    }
}
