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
 * The counters of a publisher: one 64-bit value for each id below. Any thread may read the counters, also after the
 * publisher has been closed.
 */
public final class PublisherCounters
{
    /** Counts the records that were accepted. */
    public static final int RECORDS = 0;
    /** Counts the records that were acknowledged. */
    public static final int RECORDS_ACKNOWLEDGED = 1;
    /** Counts the records of batches that were given up. */
    public static final int RECORDS_FAILED = 2;
    /** Counts the Produce requests that were sent. */
    public static final int REQUESTS = 3;
    /** Counts the bytes of Produce requests that were sent. */
    public static final int BYTES_SENT = 4;
    /** Counts the bytes of batches before compression; each batch counts once. */
    public static final int BYTES_BATCHED = 5;
    /** Counts the batches that were sent; each resend counts, too. */
    public static final int BATCHES_SENT = 6;
    /** Counts how often a batch was sent again unchanged. */
    public static final int BATCHES_RESENT = 7;
    /** Counts the batches that were acknowledged. */
    public static final int BATCHES_ACKNOWLEDGED = 8;
    /** Counts the batches that were given up. */
    public static final int BATCHES_FAILED = 9;
    /** Counts the offers and claims that were refused because all memory for batches was in use. */
    public static final int BACK_PRESSURED = 10;
    /**
     * Counts how often a partition continued with a new producer epoch or, after the last epoch of a producer id, with
     * another id.
     */
    public static final int EPOCH_BUMPS = 11;
    /** Counts the exceptions of the listener, and of the calls with which an {@link InputBarrier} acknowledges. */
    public static final int LISTENER_ERRORS = 12;
    /** Counts the bytes of direct memory that were allocated beyond the memory budget. */
    public static final int BUDGET_EXCEEDED_BYTES = 13;
    /** Counts the claims that were aborted because they were open when the publisher began to work or to close. */
    public static final int CLAIMS_ABORTED = 14;

    private final CounterWriter ofClient;
    private final AtomicBuffer values;

    /** @param file the counters file of the client, or null to keep the counters in memory. */
    PublisherCounters(final CounterWriter ofClient, final CountersFile file)
    {
        this.ofClient = ofClient;
        values = file == null ?
            new UnsafeBuffer(ByteBuffer.allocateDirect(count() * CountersReader.COUNTER_LENGTH)) : file.ofPublisher();
    }

    /** Returns the number of counters; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return ListedCounter.publisherCount();
    }

    /**
     * Returns the name of the counter with an id of this class, such as "bytes sent".
     *
     * @throws IndexOutOfBoundsException if there is no such counter.
     */
    public static String name(final int id)
    {
        return ListedCounter.ofPublisher(id).name();
    }

    /** Returns the counters that each client has, such as those of its connections. */
    public ClientCounters ofClient()
    {
        return ofClient;
    }

    /**
     * Returns the value of the counter with an id of this class.
     *
     * @throws IndexOutOfBoundsException if there is no such counter.
     */
    public long get(final int id)
    {
        final ListedCounter counter = ListedCounter.ofPublisher(id);
        return counter.isOfPublisher() ? values.getLongVolatile(index(id)) : ofClient.get(counter.id());
    }

    void add(final int id, final long delta)
    {
        assert ListedCounter.ofPublisher(id).isOfPublisher();
        final int index = index(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    private static int index(final int id)
    {
        return CountersReader.counterOffset(id < LISTENER_ERRORS ? id : id - 2);
    }

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
            if (ListedCounter.ofPublisher(id).isOfPublisher() && get(id) != 0)
            {
                text.append(name(id)).append('=').append(get(id)).append(", ");
            }
        }
        return text.append(ofClient).toString();
    }
}
