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
 * The counters of a publisher: one 64-bit value for each id below. Any thread may read them, also after the publisher
 * has been closed. The thread of the publisher writes them with ordered stores.
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
    /** Bytes of batches before compression; each batch counts once. */
    public static final int BYTES_BATCHED = 5;
    /** Batches sent; a batch counts each time that it is sent. */
    public static final int BATCHES_SENT = 6;
    /** Batches that were sent again; a batch counts each time. */
    public static final int BATCHES_RESENT = 7;
    /** Batches that were acknowledged. */
    public static final int BATCHES_ACKNOWLEDGED = 8;
    /** Batches that were given up. */
    public static final int BATCHES_FAILED = 9;
    /**
     * Offers and claims that were refused because all memory for batches was in use. A record that is offered again
     * counts each time.
     */
    public static final int BACK_PRESSURED = 10;
    /**
     * The number of times that a partition continued with a new producer epoch or, after the last epoch of a producer
     * id, with another id.
     */
    public static final int EPOCH_BUMPS = 11;
    /** Exceptions that a listener or the acknowledgements of an {@link InputBarrier} have thrown. */
    public static final int LISTENER_ERRORS = 12;
    /** Bytes by which allocations of direct memory have exceeded the memory budget, in total. */
    public static final int BUDGET_EXCEEDED_BYTES = 13;
    /** Claims that were aborted because they were open when the publisher began to work or to close. */
    public static final int CLAIMS_ABORTED = 14;

    private final CounterWriter ofClient;
    private final AtomicBuffer values;

    /**
     * @param ofClient the counters that each client has.
     * @param file     the file that holds the other counters, or null to keep them in memory.
     */
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
     * Returns the name of a counter in a few words.
     *
     * @param id the id of the counter.
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
     * Returns the value of a counter.
     *
     * @param id the id of the counter.
     * @throws IndexOutOfBoundsException if there is no such counter.
     */
    public long get(final int id)
    {
        final ListedCounter counter = ListedCounter.ofPublisher(id);
        return counter.isOfPublisher() ? values.getLongVolatile(index(id)) : ofClient.get(counter.id());
    }

    /**
     * Adds a number to a counter. Only the thread of the publisher may call this method.
     *
     * @param id the id of a counter that only a publisher has.
     */
    void add(final int id, final long delta)
    {
        assert ListedCounter.ofPublisher(id).isOfPublisher();
        final int index = index(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    /** Returns the index of a counter in the values, which leave out the two counters that each client has. */
    private static int index(final int id)
    {
        return CountersReader.counterOffset(id < LISTENER_ERRORS ? id : id - 2);
    }

    /** Adds a number to a counter that each client has. Only the thread of the publisher may call this method. */
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
