// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.client.ClientCounters;

/**
 * The counters of a consumer: those that each client has, and those that only a consumer has. The page docs/operate.md
 * explains each counter.
 */
public final class ConsumerCounters extends ClientCounters
{
    public static final int RECORDS = 0;
    public static final int RECORD_BYTES = 1;
    public static final int FETCHES = 2;
    public static final int EMPTY_FETCHES = 3;
    public static final int BYTES_DISCARDED = 5;
    public static final int OFFSET_HOLES = 6;
    public static final int HANDLER_ERRORS = 15;
    public static final int PARTITION_ERRORS = 16;
    public static final int PARTITIONS_STOPPED = 17;
    public static final int GAPS = 20;
    public static final int OFFSETS_SKIPPED = 21;
    public static final int RESETS = 22;
    public static final int TRUNCATIONS = 23;
    /** Fetch requests that listed all partitions to fetch. */
    public static final int FULL_FETCHES = 28;
    /** Fetch requests that listed only the partitions that had changed (KIP-227). */
    public static final int INCREMENTAL_FETCHES = 29;
    /** Fetch sessions that ended because of an error or a lost connection, or that the broker has ended. */
    public static final int SESSION_RESETS = 30;
    public static final int EMPTY_POLLS = 31;
    /** The longest time in nanoseconds that one duty cycle worked, including handler calls, and without waits. */
    public static final int LONGEST_CYCLE_NS = 32;
    public static final int STALLS = 33;
    public static final int BATCHED_FETCHES = 35;
    public static final int FRAMES_CAPTURED = 36;
    public static final int FRAMES_NOT_CAPTURED = 37;
    public static final int HEARTBEATS = 49;
    public static final int HEARTBEAT_FAILURES = 50;
    public static final int REBALANCES = 51;
    public static final int PARTITIONS_ASSIGNED = 52;
    public static final int PARTITIONS_REVOKED = 53;
    /** Partitions that were lost; see {@link ConsumerListener#onPartitionLost}. */
    public static final int PARTITIONS_LOST = 54;
    public static final int COMMITS = 55;
    public static final int COMMIT_FAILURES = 56;
    public static final int FENCES = 57;
    /**
     * The time at which the coordinator last confirmed the membership, in milliseconds since 1970. The value 0 means
     * that no confirmation is expected: before the first one, after a leave, or while a classic group rebalances.
     */
    public static final int LAST_HEARTBEAT_MS = 58;
    /**
     * The number of classic groups with members that the first join of this consumer has converted to consumer groups:
     * 0 or 1.
     */
    public static final int CLASSIC_GROUPS_CONVERTED = 59;
    public static final int REVOCATIONS_TIMED_OUT = 62;
    public static final int ACKNOWLEDGEMENTS_REFUSED = 63;
    public static final int FETCH_CONNECTIONS_ADDED = 64;
    public static final int FETCH_CONNECTIONS_REMOVED = 65;
    public static final int ACKNOWLEDGEMENTS_IGNORED = 66;
    public static final int STOPPED_PARTITIONS = 67;

    /** @param counters the counters of the same client, whose values this object shows. */
    public ConsumerCounters(final ClientCounters counters)
    {
        super(counters);
    }

    /** Returns the number of records delivered, including those of whole batches. */
    public long records()
    {
        return get(RECORDS);
    }

    /** Returns the number of fetch responses received, including {@link #emptyFetches()}. */
    public long fetches()
    {
        return get(FETCHES);
    }

    /** Returns the number of fetch responses without records to deliver. */
    public long emptyFetches()
    {
        return get(EMPTY_FETCHES);
    }
}
