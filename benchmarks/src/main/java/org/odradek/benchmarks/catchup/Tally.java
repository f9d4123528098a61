// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

/**
 * What one pass has read: the sum is the proof that all arms read the same bytes.
 */
final class Tally
{
    private long records;
    private long bytes;
    private long sum;

    void add(final long valueLength, final long threeLongs)
    {
        records++;
        bytes += valueLength;
        sum += threeLongs;
    }

    void addAll(final long recordCount, final long valueLengths, final long sumOfLongs)
    {
        records += recordCount;
        bytes += valueLengths;
        sum += sumOfLongs;
    }

    void clear()
    {
        records = 0;
        bytes = 0;
        sum = 0;
    }

    long records()
    {
        return records;
    }

    long bytes()
    {
        return bytes;
    }

    long sum()
    {
        return sum;
    }
}
