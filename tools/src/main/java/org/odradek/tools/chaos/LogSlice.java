// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

/**
 * Part of a partition's log, as a stock client has read it.
 *
 * @param startOffset first offset the log holds now, or its end if it holds none.
 * @param from        first offset of the slice.
 * @param to          offset behind the slice.
 * @param sequences   of the records at {@code from + i}; {@link PartitionLedger#NONE} where the log holds none.
 */
record LogSlice(long startOffset, long from, long to, long[] sequences)
{
    long sequenceAt(final long offset)
    {
        return sequences[(int) (offset - from)];
    }
}
