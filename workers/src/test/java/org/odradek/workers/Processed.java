// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What all members have processed. Values count the records of their key, so that a record which is missing or out of
 * order is found. Any thread may use it.
 */
final class Processed
{
    private final Map<String, Integer> lastOfKey = new HashMap<>();
    private final Set<String> offsets = new HashSet<>();
    private int count;
    private String failure;

    /**
     * Adds a record.
     *
     * @param isRepeatAllowed true if the record may have been processed before: each key continues at an earlier one.
     */
    synchronized void add(
        final int partition, final long offset, final String key, final int number, final boolean isRepeatAllowed)
    {
        final int last = lastOfKey.getOrDefault(key, -1);
        if (number > last + 1 || number <= last && !isRepeatAllowed)
        {
            failure = failure == null ? "number " + number + " of " + key + " after " + last : failure;
        }
        lastOfKey.put(key, number);
        offsets.add(partition + ":" + offset);
        count++;
    }

    /** The number of records that were processed at least once. */
    synchronized int distinct()
    {
        return offsets.size();
    }

    synchronized int count()
    {
        return count;
    }

    synchronized String failure()
    {
        return failure;
    }

    synchronized void assertProcessedBefore(final int partition, final long committedOffset)
    {
        for (long offset = 0; offset < committedOffset; offset++)
        {
            assertTrue(offsets.contains(partition + ":" + offset),
                "offset " + offset + " of partition " + partition + ", before the committed " + committedOffset);
        }
    }
}
