// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * The counters of a consumer, to be read from any thread: one 64-bit value for each id below. The polling thread writes
 * them with ordered stores; a value is current as of the end of a poll. They are laid out as Agrona's counters are,
 * {@link CountersReader#COUNTER_LENGTH} bytes apart, in memory of their own or in the counters file. They can still be
 * read after the consumer has been closed.
 * <p>
 * The page on metrics explains each counter. New ones go to the end: an id is an index in the counters file, which
 * another release may read.
 */
public class ConsumerCounters
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
    /** Fetch requests that listed all partitions; in a fetch session only the first request does. */
    public static final int FULL_FETCHES = 28;
    /** Fetch requests that listed only the partitions that had changed (KIP-227). */
    public static final int INCREMENTAL_FETCHES = 29;
    /** Fetch sessions that ended early: the connection broke, an error occurred, or the broker ended the session. */
    public static final int SESSION_RESETS = 30;
    /** Polls that delivered nothing. */
    public static final int EMPTY_POLLS = 31;
    /** The longest time in nanoseconds that one duty cycle worked. Handler calls are included, waiting is not. */
    public static final int LONGEST_CYCLE_NS = 32;
    /** Duty cycles that worked for longer than the stall threshold, and waits that ended too late by more than it. */
    public static final int STALLS = 33;
    /** Errors for which the error log of the counters file had no room. */
    public static final int ERRORS_NOT_LOGGED = 34;
    /** Fetch requests that the broker was asked to hold for {@code latencyBudgetMs}. */
    public static final int BATCHED_FETCHES = 35;
    /** Fetch responses written to the capture file. */
    public static final int FRAMES_CAPTURED = 36;
    /** Fetch responses for which the capture file had no room. */
    public static final int FRAMES_NOT_CAPTURED = 37;
    /**
     * TLS handshakes that were completed.
     */
    public static final int TLS_HANDSHAKES = 38;
    /**
     * Nanoseconds that TLS handshakes worked on the polling thread, the checks of certificates included.
     */
    public static final int TLS_HANDSHAKE_NS = 39;
    /**
     * Nanoseconds that the checks of certificates took.
     */
    public static final int TLS_VERIFICATION_NS = 40;
    /**
     * Connections that TLS has ended with an error.
     */
    public static final int TLS_FAILURES = 41;
    /**
     * Changed certificate files that were read again and are used from then on.
     */
    public static final int TLS_RELOADS = 42;
    /**
     * Changed certificate files that could not be used: the last certificates stay in use.
     */
    public static final int TLS_RELOADS_FAILED = 43;
    /**
     * Authentications by SASL that succeeded, including those that renewed a session.
     */
    public static final int AUTHENTICATIONS = 44;
    /**
     * Authentications that a broker refused, or in which it did not prove who it is.
     */
    public static final int AUTHENTICATION_FAILURES = 45;
    /**
     * Sessions that were renewed on a connection in use, before they expired (KIP-368).
     */
    public static final int REAUTHENTICATIONS = 46;
    /**
     * Time in nanoseconds that mechanisms worked on the polling thread.
     */
    public static final int AUTHENTICATION_NS = 47;
    /**
     * New keys of TLS 1.3 that brokers asked for and got (KeyUpdate).
     */
    public static final int TLS_KEY_UPDATES = 48;
    /** Heartbeats sent to the coordinator of the consumer group. */
    public static final int HEARTBEATS = 49;
    /** Heartbeats with an error in the response, or whose response was lost. */
    public static final int HEARTBEAT_FAILURES = 50;
    /** Changes of the partitions that the coordinator has assigned to this member. */
    public static final int REBALANCES = 51;
    /** Partitions taken because the coordinator assigned them. */
    public static final int PARTITIONS_ASSIGNED = 52;
    /** Partitions revoked because the coordinator assigned them to others, or because this member left. */
    public static final int PARTITIONS_REVOKED = 53;
    /** Partitions lost because the coordinator had removed this member: others may have read them already. */
    public static final int PARTITIONS_LOST = 54;
    /** Requests to commit offsets that succeeded. */
    public static final int COMMITS = 55;
    /** Requests to commit offsets that the coordinator refused, at least for one partition. */
    public static final int COMMIT_FAILURES = 56;
    /** How often delivery stopped because no heartbeat had been confirmed for too long. */
    public static final int FENCES = 57;
    /**
     * The time of the last confirmed heartbeat, in milliseconds since 1970. It is 0 while none is expected: before the
     * first, after the member has left, and while the coordinator of a classic group holds its answer to a join.
     */
    public static final int LAST_HEARTBEAT_MS = 58;
    /** Classic groups with members that the first join of this consumer has converted: 0 or 1. */
    public static final int CLASSIC_GROUPS_CONVERTED = 59;
    /** Failures of a token source that were reported; the last good token is used meanwhile. */
    public static final int TOKENS_NOT_RENEWED = 60;
    /**
     * Brokers that the JDK's TLS connects to because BoringSSL refuses the kind of key in their certificates, and 1
     * more if BoringSSL cannot be used although the settings allow it.
     */
    public static final int TLS_FALLBACKS = 61;
    /** Partitions that were revoked before the work on them was done, or before their commit was confirmed. */
    public static final int REVOCATIONS_TIMED_OUT = 62;
    /** Acknowledged offsets that were not committed, because records before them had not been delivered. */
    public static final int ACKNOWLEDGEMENTS_REFUSED = 63;
    /** Connections that were added to the first of a broker, because partitions lag. */
    public static final int FETCH_CONNECTIONS_ADDED = 64;
    /** Connections besides the first of a broker that were removed. */
    public static final int FETCH_CONNECTIONS_REMOVED = 65;
    /** Acknowledged offsets below an earlier one of the same partition and epoch. */
    public static final int ACKNOWLEDGEMENTS_IGNORED = 66;

    private static final String[] NAMES = {
        "records", "record bytes", "fetches", "empty fetches", "bytes received", "bytes discarded", "offset holes",
        "metadata refreshes", "connects", "connections lost", "name lookups", "name lookup ns", "buffers grown",
        "budget exceeded bytes", "throttle ms", "handler errors", "partition errors", "partitions stopped",
        "leader changes", "errors", "gaps", "offsets skipped", "resets", "truncations", "rebootstraps",
        "idle closes", "version downgrades", "listener errors", "full fetches", "incremental fetches",
        "session resets", "empty polls", "longest cycle ns", "stalls", "errors not logged",
        "batched fetches", "frames captured", "frames not captured", "tls handshakes", "tls handshake ns",
        "tls verification ns", "tls failures", "tls reloads", "tls reloads failed", "authentications",
        "authentication failures", "reauthentications", "authentication ns", "tls key updates", "heartbeats",
        "heartbeat failures", "rebalances", "partitions assigned", "partitions revoked", "partitions lost", "commits",
        "commit failures", "fences", "last heartbeat ms", "classic groups converted",
        "tokens not renewed", "tls fallbacks", "revocations timed out",
        "acknowledgements refused", "fetch connections added", "fetch connections removed",
        "acknowledgements ignored"};

    /** Holds the counters, of which the first {@link #count()} are those of this class. */
    protected final AtomicBuffer values;

    /** @param values that another class writes. */
    protected ConsumerCounters(final AtomicBuffer values)
    {
        this.values = values;
    }

    /** The number of counters; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return NAMES.length;
    }

    /**
     * What a counter counts, in a few words.
     *
     * @param id one of the constants above.
     */
    public static String name(final int id)
    {
        return NAMES[id];
    }

    /**
     * The value of a counter.
     *
     * @param id one of the constants above.
     */
    public final long get(final int id)
    {
        return values.getLongVolatile(CountersReader.counterOffset(id));
    }

    /** Records delivered. */
    public final long records()
    {
        return get(RECORDS);
    }

    /** Fetch responses received, including empty ones. */
    public final long fetches()
    {
        return get(FETCHES);
    }

    /** Fetch responses that held no record. */
    public final long emptyFetches()
    {
        return get(EMPTY_FETCHES);
    }

    @Override
    public final String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < NAMES.length; id++)
        {
            text.append(id == 0 ? "" : ", ").append(NAMES[id]).append('=').append(get(id));
        }
        return text.toString();
    }
}
