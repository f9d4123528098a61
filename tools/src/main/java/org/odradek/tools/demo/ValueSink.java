// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * Takes the three longs of every value, and keeps the latest thousand values in an array that outlives the run, so that
 * the JIT cannot drop the reads. Counts what is out of order: the producer writes into each value the offset that it
 * will have.
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
     * @return a sum over what is kept.
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
