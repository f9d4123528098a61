// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.ClientCounters;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.CountersFile;
import org.odradek.client.metrics.ListedCounter;

import java.nio.ByteBuffer;

/**
 * What a publisher has counted, to be read from any thread: one 64-bit value for each id below. Its thread writes them
 * with ordered stores. They can still be read after the publisher has been closed.
 */
public final class PublisherCounters
{
    /** Records accepted. */
    public static final int RECORDS = 0;
    /** Records that were acknowledged. */
    public static final int RECORDS_ACKNOWLEDGED = 1;
    /** Records of batches that were given up. */
    public static final int RECORDS_FAILED = 2;
    /** Produce requests sent. */
    public static final int REQUESTS = 3;
    /** Bytes of Produce requests sent. */
    public static final int BYTES_SENT = 4;
    /** Bytes of batches before compression, each batch once. */
    public static final int BYTES_BATCHED = 5;
    /** Batches sent, each time that they were. */
    public static final int BATCHES_SENT = 6;
    /** Batches that were sent again. */
    public static final int BATCHES_RESENT = 7;
    /** Batches that were acknowledged. */
    public static final int BATCHES_ACKNOWLEDGED = 8;
    /** Batches that were given up. */
    public static final int BATCHES_FAILED = 9;
    /** Records that were not accepted because the memory for batches was in use. */
    public static final int BACK_PRESSURED = 10;
    /** Partitions that went on under a new producer epoch. */
    public static final int EPOCH_BUMPS = 11;
    /** Exceptions that a listener, or the acknowledgements of an {@link InputBarrier}, have thrown. */
    public static final int LISTENER_ERRORS = 12;
    /** Bytes of direct memory that were held beyond the declared budget, each growth once. */
    public static final int BUDGET_EXCEEDED_BYTES = 13;
    /** Claims that were open when the publisher worked or was closed, and so were aborted. */
    public static final int CLAIMS_ABORTED = 14;

    private final CounterWriter ofClient;
    private final AtomicBuffer values;

    /**
     * @param ofClient what each client counts.
     * @param file     that has the other counters, or null to have them in memory.
     */
    PublisherCounters(final CounterWriter ofClient, final CountersFile file)
    {
        this.ofClient = ofClient;
        values = file == null ?
            new UnsafeBuffer(ByteBuffer.allocateDirect(count() * CountersReader.COUNTER_LENGTH)) : file.ofPublisher();
    }

    /** The number of counters; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return ListedCounter.publisherCount();
    }

    /** What a counter counts, in a few words. */
    public static String name(final int id)
    {
        return ListedCounter.ofPublisher(id).name();
    }

    /** What each client counts, such as its connections. */
    public ClientCounters ofClient()
    {
        return ofClient;
    }

    /** The value of a counter. */
    public long get(final int id)
    {
        final ListedCounter counter = ListedCounter.ofPublisher(id);
        return counter.isOfPublisher() ? values.getLongVolatile(index(id)) : ofClient.get(counter.id());
    }

    /**
     * Only the thread of the publisher may call it.
     *
     * @param id of a counter that only a publisher has.
     */
    void add(final int id, final long delta)
    {
        assert ListedCounter.ofPublisher(id).isOfPublisher();
        final int index = index(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    /** The two that each client counts have no place among the others. */
    private static int index(final int id)
    {
        return CountersReader.counterOffset(id < LISTENER_ERRORS ? id : id - 2);
    }

    /** Adds to what each client counts. Only the thread of the publisher may call it. */
    void addOfClient(final int id, final long delta)
    {
        ofClient.add(id, delta);
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < count(); id++)
        {
            text.append(ListedCounter.ofPublisher(id).isOfPublisher() ? name(id) + "=" + get(id) + ", " : "");
        }
        return text.append(ofClient).toString();
    }
}
