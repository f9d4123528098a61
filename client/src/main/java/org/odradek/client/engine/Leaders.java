// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

import java.util.Arrays;

/**
 * Searches and extends arrays of connections, which are sorted by the id of the broker and the number of the
 * connection.
 */
public final class Leaders
{
    public interface Connected
    {
        int nodeId();

        /** Returns the number of this connection among those to the same broker; the first connection has number 0. */
        default int number()
        {
            return 0;
        }
    }

    private Leaders()
    {
    }

    /** Returns the index of a connection, or the complement of the index at which to insert it. */
    public static int indexOf(final Connected[] sorted, final int nodeId, final int number)
    {
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            final Connected found = sorted[middle];
            if (found.nodeId() == nodeId && found.number() == number)
            {
                return middle;
            }
            final boolean isLower = found.nodeId() < nodeId || found.nodeId() == nodeId && found.number() < number;
            low = isLower ? middle + 1 : low;
            high = isLower ? high : middle - 1;
        }
        return ~low;
    }

    public static <T extends Connected> T[] insert(final T[] sorted, final int index, final T added)
    {
        final T[] more = Arrays.copyOf(sorted, sorted.length + 1);
        System.arraycopy(sorted, index, more, index + 1, sorted.length - index);
        more[index] = added;
        return more;
    }
}
