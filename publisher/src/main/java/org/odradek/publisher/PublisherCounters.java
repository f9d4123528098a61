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
 * The counters of a publisher: one 64-bit value for each id below, and for each id of {@link ClientCounters}. The ids
 * of this class begin at 100. Any thread may read the counters, also after the publisher has been closed.
 */
public final class PublisherCounters
{
    /** Counts the records that were accepted. */
    public static final int RECORDS = 100;
    /** Counts the records that were acknowledged. */
    public static final int RECORDS_ACKNOWLEDGED = 101;
    /** Counts the records of batches that were given up. */
    public static final int RECORDS_FAILED = 102;
    /** Counts the Produce requests that were sent. */
    public static final int REQUESTS = 103;
    /** Counts the bytes of Produce requests that were sent. */
    public static final int BYTES_SENT = 104;
    /** Counts the bytes of batches before compression; each batch counts once. */
    public static final int BYTES_BATCHED = 105;
    /** Counts the batches that were sent; each resend counts, too. */
    public static final int BATCHES_SENT = 106;
    /** Counts how often a batch was sent again unchanged. */
    public static final int BATCHES_RESENT = 107;
    /** Counts the batches that were acknowledged. */
    public static final int BATCHES_ACKNOWLEDGED = 108;
    /** Counts the batches that were given up. */
    public static final int BATCHES_FAILED = 109;
    /** Counts the offers and claims that were refused because all memory for batches was in use. */
    public static final int BACK_PRESSURED = 110;
    /**
     * Counts how often a partition continued with a new producer epoch or, after the last epoch of a producer id, with
     * another id.
     */
    public static final int EPOCH_BUMPS = 111;
    /** Counts the claims that were aborted because they were open when the publisher began to work or to close. */
    public static final int CLAIMS_ABORTED = 112;
    /** The number of partitions that have stopped, and continue only after a skip. */
    public static final int STOPPED_PARTITIONS = 113;

    private final CounterWriter ofClient;
    private final AtomicBuffer values;

    /** @param file the counters file of the client, or null to keep the counters in memory. */
    PublisherCounters(final CounterWriter ofClient, final CountersFile file)
    {
        this.ofClient = ofClient;
        values = file == null ? new UnsafeBuffer(ByteBuffer.allocateDirect(
            CountersReader.counterOffset(ListedCounter.publisherCount()))) : file.ofPublisher();
    }

    /**
     * Returns the ids of all counters of a publisher in a new array: the ids of this class, and then the ids of {@link
     * ClientCounters}.
     */
    public static int[] ids()
    {
        return ListedCounter.shownByPublisher().stream().mapToInt(ListedCounter::id).toArray();
    }

    /**
     * Returns the name of a counter, such as "bytes sent".
     *
     * @param id one of the constants of this class or of {@link ClientCounters}.
     * @throws IndexOutOfBoundsException if a publisher has no such counter.
     */
    public static String name(final int id)
    {
        return ListedCounter.ofPublisher(id).name();
    }

    /**
     * Returns the current value of a counter.
     *
     * @param id one of the constants of this class or of {@link ClientCounters}.
     * @return the value, in the unit that the name states.
     * @throws IndexOutOfBoundsException if a publisher has no such counter.
     */
    public long get(final int id)
    {
        return ListedCounter.ofPublisher(id).isOfPublisher() ? values.getLongVolatile(index(id)) : ofClient.get(id);
    }

    void add(final int id, final long delta)
    {
        assert ListedCounter.ofPublisher(id).isOfPublisher();
        final int index = index(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    private static int index(final int id)
    {
        return CountersReader.counterOffset(id - ListedCounter.FIRST_ID_OF_PUBLISHER);
    }

    void addOfClient(final int id, final long delta)
    {
        ofClient.add(id, delta);
    }

    /** Returns the counters that are not 0, with their names. */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (final int id : ids())
        {
            if (get(id) != 0)
            {
                text.append(text.isEmpty() ? "" : ", ").append(name(id)).append('=').append(get(id));
            }
        }
        return text.toString();
    }
}
