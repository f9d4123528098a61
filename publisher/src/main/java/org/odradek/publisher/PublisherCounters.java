// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.ClientCounters;

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

    private static final String[] NAMES = {"records", "records acknowledged", "records failed", "requests",
        "bytes sent", "bytes batched", "batches sent", "batches resent", "batches acknowledged", "batches failed",
        "back pressured", "epoch bumps", "listener errors", "budget exceeded bytes", "claims aborted"};

    private final UnsafeBuffer values =
        new UnsafeBuffer(ByteBuffer.allocateDirect(NAMES.length * CountersReader.COUNTER_LENGTH));
    private final ClientCounters ofConnections;

    /** @param ofConnections that count the errors of the listener in events of connections. */
    PublisherCounters(final ClientCounters ofConnections)
    {
        this.ofConnections = ofConnections;
    }

    /** The number of counters; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return NAMES.length;
    }

    /** What a counter counts, in a few words. */
    public static String name(final int id)
    {
        return NAMES[id];
    }

    /** The value of a counter. */
    public long get(final int id)
    {
        return values.getLongVolatile(CountersReader.counterOffset(id)) +
            (id == LISTENER_ERRORS ? ofConnections.get(ClientCounters.LISTENER_ERRORS) : 0);
    }

    /** Only the thread of the publisher may call it. */
    void add(final int id, final long delta)
    {
        final int index = CountersReader.counterOffset(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < NAMES.length; id++)
        {
            text.append(id == 0 ? "" : ", ").append(NAMES[id]).append('=').append(get(id));
        }
        return text.toString();
    }
}
