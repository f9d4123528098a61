// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.collections.LongHashSet;
import org.odradek.protocol.fetch.AbortedTransactionsFlyweight;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Recognizes the batches of aborted transactions (KIP-98), for one partition of a response at a time. The broker's list
 * of aborted transactions is in no order, may name a producer twice, and may begin before the offset that was
 * requested. A batch is matched by its producer id only, because the epoch of the marker that ends a transaction is one
 * higher than that of its data (KIP-890).
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
    private final LongHashSet active = new LongHashSet();

    /** Begins a partition: copies its list, sorted by first offset. */
    void begin(final AbortedTransactionsFlyweight list, final int count)
    {
        listed = 0;
        nextListed = 0;
        if (!active.isEmpty())
        {
            active.clear();
        }
        if (count > firstOffsets.length)
        {
            firstOffsets = new long[count * 2];
            producerIds = new long[count * 2];
        }
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
            sort();
        }
    }

    /** Sorts by heap sort, which has no slow case that a broker could send. */
    private void sort()
    {
        for (int i = listed / 2 - 1; i >= 0; i--)
        {
            siftDown(i, listed);
        }
        for (int end = listed - 1; end > 0; end--)
        {
            swap(0, end);
            siftDown(0, end);
        }
    }

    private void siftDown(final int from, final int end)
    {
        int parent = from;
        int child = 2 * parent + 1;
        while (child < end)
        {
            if (child + 1 < end && firstOffsets[child] < firstOffsets[child + 1])
            {
                child++;
            }
            if (firstOffsets[parent] >= firstOffsets[child])
            {
                return;
            }
            swap(parent, child);
            parent = child;
            child = 2 * parent + 1;
        }
    }

    private void swap(final int a, final int b)
    {
        final long firstOffset = firstOffsets[a];
        final long producerId = producerIds[a];
        firstOffsets[a] = firstOffsets[b];
        producerIds[a] = producerIds[b];
        firstOffsets[b] = firstOffset;
        producerIds[b] = producerId;
    }

    /**
     * Returns true if a batch belongs to an aborted transaction. It must be called for each batch of the partition but
     * control batches, in order.
     */
    boolean isAborted(final RecordBatchFlyweight batch)
    {
        activateUpTo(batch.lastOffset());
        return batch.isTransactional() && active.contains(batch.producerId());
    }

    /**
     * Ends the transaction of a producer if its control batch is an abort marker. A marker without a transaction is
     * ignored.
     *
     * @param record before the first record of the batch.
     */
    void onControl(final RecordBatchFlyweight batch, final RecordFlyweight record)
    {
        activateUpTo(batch.lastOffset());
        if (record.next() && record.keyLength() >= CONTROL_KEY_LENGTH &&
            record.buffer().getShort(record.keyIndex() + Short.BYTES, BIG_ENDIAN) == ABORT_MARKER)
        {
            active.remove(batch.producerId());
        }
    }

    private void activateUpTo(final long offset)
    {
        while (nextListed < listed && firstOffsets[nextListed] <= offset)
        {
            active.add(producerIds[nextListed++]);
        }
    }
}
