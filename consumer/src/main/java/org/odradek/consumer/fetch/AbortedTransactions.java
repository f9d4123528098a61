// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.protocol.fetch.AbortedTransactionsFlyweight;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;

import java.util.Arrays;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Recognizes the batches of aborted transactions (KIP-98), for one partition of a response at a time. A batch is
 * matched by its producer id only, because the marker of a transaction may have a newer producer epoch than its data
 * (KIP-890).
 * <p>
 * Lists are sorted by heap sort, and producers are found by binary search, because no list of a broker makes these
 * algorithms slow.
 */
final class AbortedTransactions
{
    private static final int CONTROL_KEY_LENGTH = 2 * Short.BYTES;
    private static final short ABORT_MARKER = 0;
    private static final int INITIAL_CAPACITY = 64;

    private int listed;
    private int nextListed;
    private long[] firstOffsets = new long[INITIAL_CAPACITY];
    private long[] producerIds = new long[INITIAL_CAPACITY];
    private int producerCount;
    private long[] producers = new long[INITIAL_CAPACITY];
    /** True for each producer with a listed transaction that has begun and not ended. */
    private boolean[] isActive = new boolean[INITIAL_CAPACITY];

    /** Reads the list of a partition. If there is no memory for the list, nothing changes. */
    void begin(final AbortedTransactionsFlyweight list, final int count)
    {
        if (count > firstOffsets.length)
        {
            grow(Math.max(count, 2 * firstOffsets.length));
        }
        listed = 0;
        nextListed = 0;
        boolean isSorted = true;
        while (list.next())
        {
            firstOffsets[listed] = list.firstOffset();
            producerIds[listed] = list.producerId();
            isSorted &= listed == 0 || firstOffsets[listed - 1] <= firstOffsets[listed];
            listed++;
        }
        if (!isSorted)
        {
            sort(firstOffsets, producerIds, listed);
        }
        findProducers();
    }

    private void grow(final int capacity)
    {
        final long[] newFirstOffsets = new long[capacity];
        final long[] newProducerIds = new long[capacity];
        final long[] newProducers = new long[capacity];
        isActive = new boolean[capacity];
        firstOffsets = newFirstOffsets;
        producerIds = newProducerIds;
        producers = newProducers;
    }

    private void findProducers()
    {
        System.arraycopy(producerIds, 0, producers, 0, listed);
        sort(producers, null, listed);
        producerCount = 0;
        for (int i = 0; i < listed; i++)
        {
            if (producerCount == 0 || producers[i] != producers[producerCount - 1])
            {
                isActive[producerCount] = false;
                producers[producerCount++] = producers[i];
            }
        }
        assert isConsistent();
    }

    /** @param values the values in the order of the keys, which are moved with them, or null. */
    private static void sort(final long[] keys, final long[] values, final int count)
    {
        for (int i = count / 2 - 1; i >= 0; i--)
        {
            siftDown(keys, values, i, count);
        }
        for (int end = count - 1; end > 0; end--)
        {
            swap(keys, values, 0, end);
            siftDown(keys, values, 0, end);
        }
    }

    private static void siftDown(final long[] keys, final long[] values, final int from, final int end)
    {
        int parent = from;
        int child = 2 * parent + 1;
        while (child < end)
        {
            if (child + 1 < end && keys[child] < keys[child + 1])
            {
                child++;
            }
            if (keys[parent] >= keys[child])
            {
                return;
            }
            swap(keys, values, parent, child);
            parent = child;
            child = 2 * parent + 1;
        }
    }

    private static void swap(final long[] keys, final long[] values, final int a, final int b)
    {
        final long key = keys[a];
        keys[a] = keys[b];
        keys[b] = key;
        if (values != null)
        {
            final long value = values[a];
            values[a] = values[b];
            values[b] = value;
        }
    }

    /** The batches must be passed in the order of their offsets. */
    boolean findAborted(final RecordBatchFlyweight batch)
    {
        activateUpTo(batch.lastOffset());
        final int index = batch.isTransactional() ? indexOf(batch.producerId()) : -1;
        return index >= 0 && isActive[index];
    }

    /** @param record a cursor before the first record of the control batch. */
    void onControl(final RecordBatchFlyweight batch, final RecordFlyweight record)
    {
        activateUpTo(batch.lastOffset());
        if (record.next() && record.keyLength() >= CONTROL_KEY_LENGTH &&
            record.buffer().getShort(record.keyIndex() + Short.BYTES, BIG_ENDIAN) == ABORT_MARKER)
        {
            final int index = indexOf(batch.producerId());
            if (index >= 0)
            {
                isActive[index] = false;
            }
        }
    }

    private void activateUpTo(final long offset)
    {
        while (nextListed < listed && firstOffsets[nextListed] <= offset)
        {
            isActive[indexOf(producerIds[nextListed++])] = true;
        }
        assert nextListed <= listed;
    }

    private int indexOf(final long producerId)
    {
        return Arrays.binarySearch(producers, 0, producerCount, producerId);
    }

    private boolean isConsistent()
    {
        boolean isConsistent = producerCount <= listed && (producerCount > 0 || listed == 0);
        for (int i = 1; i < listed && isConsistent; i++)
        {
            // Transactions begin in the order of their offsets, and the binary search needs each id once.
            isConsistent = firstOffsets[i - 1] <= firstOffsets[i] &&
                (i >= producerCount || producers[i - 1] < producers[i]);
        }
        return isConsistent;
    }
}
