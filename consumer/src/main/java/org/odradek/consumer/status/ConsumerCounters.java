// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.ByteBuffer;

/**
 * One 64-bit counter per thing worth counting, written by the polling thread with ordered stores, to be read from any.
 * A value is current as of the end of a poll. They lie as Agrona's counters do, {@link CountersReader#COUNTER_LENGTH}
 * bytes apart, in memory of their own or in a {@link CountersFile}; either may be read as long as this is held, also
 * after the consumer was closed.
 */
public final class ConsumerCounters
{
    public static final int RECORDS = 0;
    public static final int RECORD_BYTES = 1;
    public static final int FETCHES = 2;
    public static final int EMPTY_FETCHES = 3;
    public static final int BYTES_RECEIVED = 4;
    public static final int BYTES_DISCARDED = 5;
    public static final int OFFSET_HOLES = 6;
    public static final int METADATA_REFRESHES = 7;
    public static final int CONNECTS = 8;
    public static final int CONNECTIONS_LOST = 9;
    public static final int NAME_LOOKUPS = 10;
    public static final int NAME_LOOKUP_NS = 11;
    public static final int BUFFERS_GROWN = 12;
    public static final int BUDGET_EXCEEDED_BYTES = 13;
    public static final int THROTTLE_MS = 14;
    public static final int HANDLER_ERRORS = 15;
    public static final int PARTITION_ERRORS = 16;
    public static final int PARTITIONS_STOPPED = 17;
    public static final int LEADER_CHANGES = 18;
    public static final int ERRORS = 19;
    public static final int GAPS = 20;
    public static final int OFFSETS_SKIPPED = 21;
    public static final int RESETS = 22;
    public static final int TRUNCATIONS = 23;
    public static final int REBOOTSTRAPS = 24;
    public static final int IDLE_CLOSES = 25;
    public static final int VERSION_DOWNGRADES = 26;
    public static final int LISTENER_ERRORS = 27;
    /**
     * Fetch requests that listed all partitions; with a session that is the first one.
     */
    public static final int FULL_FETCHES = 28;
    /**
     * Fetch requests that listed only what had changed (KIP-227).
     */
    public static final int INCREMENTAL_FETCHES = 29;
    /**
     * Fetch sessions that ended before they were given up: broken connections, errors, a broker that ended them.
     */
    public static final int SESSION_RESETS = 30;
    /**
     * Polls that delivered nothing.
     */
    public static final int EMPTY_POLLS = 31;
    /**
     * The most nanoseconds that one duty cycle worked, its handler's calls among them, waiting not.
     */
    public static final int LONGEST_CYCLE_NS = 32;
    /**
     * Duty cycles that worked for longer than the stall threshold.
     */
    public static final int STALLS = 33;
    /**
     * Errors for which the error log of the {@link CountersFile} had no room.
     */
    public static final int ERRORS_NOT_LOGGED = 34;
    /**
     * Fetch requests that were held back because the one before was sent less than {@code fetchMinIntervalUs} ago.
     */
    public static final int DELAYED_FETCHES = 35;
    /**
     * Fetch responses written to the capture file.
     */
    public static final int FRAMES_CAPTURED = 36;
    /**
     * Fetch responses for which the capture file had no room.
     */
    public static final int FRAMES_NOT_CAPTURED = 37;

    private static final String[] NAMES = {
        "records", "record bytes", "fetches", "empty fetches", "bytes received", "bytes discarded", "offset holes",
        "metadata refreshes", "connects", "connections lost", "name lookups", "name lookup ns", "buffers grown",
        "budget exceeded bytes", "throttle ms", "handler errors", "partition errors", "partitions stopped",
        "leader changes", "errors", "gaps", "offsets skipped", "resets", "truncations", "rebootstraps",
        "idle closes", "version downgrades", "listener errors", "full fetches", "incremental fetches",
        "session resets", "empty polls", "longest cycle ns", "stalls", "errors not logged",
        "delayed fetches", "frames captured", "frames not captured"};

    private final AtomicBuffer values;

    /**
     * In memory of their own.
     */
    public ConsumerCounters()
    {
        this(new UnsafeBuffer(ByteBuffer.allocateDirect(NAMES.length * CountersReader.COUNTER_LENGTH)));
    }

    /**
     * @param values of Agrona's counters, of which the first {@link #count()} are these.
     */
    ConsumerCounters(final AtomicBuffer values)
    {
        this.values = values;
    }

    public static int count()
    {
        return NAMES.length;
    }

    /**
     * What a counter counts.
     *
     * @param id one of the constants above, 0 to {@link #count()} - 1.
     * @return a few words.
     */
    public static String name(final int id)
    {
        return NAMES[id];
    }

    /**
     * Value of a counter.
     *
     * @param id one of the constants above.
     * @return the value.
     */
    public long get(final int id)
    {
        return values.getLongVolatile(CountersReader.counterOffset(id));
    }

    /**
     * Add to a counter; for the polling thread only.
     *
     * @param id    one of the constants above.
     * @param delta to add.
     */
    public void add(final int id, final long delta)
    {
        final int index = CountersReader.counterOffset(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    /**
     * Raise a counter to a value that is larger than it; for the polling thread only.
     *
     * @param id    one of the constants above.
     * @param value to raise it to.
     */
    public void max(final int id, final long value)
    {
        final int index = CountersReader.counterOffset(id);
        if (value > values.getLong(index))
        {
            values.putLongRelease(index, value);
        }
    }

    /**
     * Records delivered.
     */
    public long records()
    {
        return get(RECORDS);
    }

    /**
     * Fetch responses received, empty ones among them.
     */
    public long fetches()
    {
        return get(FETCHES);
    }

    /**
     * Fetch responses that held no record.
     */
    public long emptyFetches()
    {
        return get(EMPTY_FETCHES);
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
