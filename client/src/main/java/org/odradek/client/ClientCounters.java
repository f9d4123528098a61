// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.metrics.ListedCounter;

/**
 * The counters that each client of Kafka has, to be read from any thread: one 64-bit value for each id. Its thread
 * writes them with ordered stores; a value is current as of the end of a poll, or of the work of a publisher. They are
 * laid out as Agrona's counters are, {@link CountersReader#COUNTER_LENGTH} bytes apart, in memory of their own or in
 * the counters file. They can still be read after the client has been closed.
 * <p>
 * The page on metrics explains each counter. {@code ConsumerCounters} continues this list: an id means the same in both
 * and in every counters file.
 */
public class ClientCounters
{
    public static final int BYTES_RECEIVED = 4;
    public static final int METADATA_REFRESHES = 7;
    public static final int CONNECTS = 8;
    public static final int CONNECTIONS_LOST = 9;
    public static final int NAME_LOOKUPS = 10;
    public static final int NAME_LOOKUP_NS = 11;
    public static final int BUFFERS_GROWN = 12;
    public static final int BUDGET_EXCEEDED_BYTES = 13;
    public static final int THROTTLE_MS = 14;
    public static final int LEADER_CHANGES = 18;
    public static final int ERRORS = 19;
    public static final int REBOOTSTRAPS = 24;
    public static final int IDLE_CLOSES = 25;
    public static final int VERSION_DOWNGRADES = 26;
    public static final int LISTENER_ERRORS = 27;
    public static final int ERRORS_NOT_LOGGED = 34;
    public static final int TLS_HANDSHAKES = 38;
    /** Nanoseconds that TLS handshakes worked on the polling thread, the checks of certificates included. */
    public static final int TLS_HANDSHAKE_NS = 39;
    public static final int TLS_VERIFICATION_NS = 40;
    public static final int TLS_FAILURES = 41;
    /** Changed certificate files that were read again and are used from then on. */
    public static final int TLS_RELOADS = 42;
    /** Changed certificate files that could not be used: the last certificates stay in use. */
    public static final int TLS_RELOADS_FAILED = 43;
    /** Authentications by SASL that succeeded, including those that renewed a session. */
    public static final int AUTHENTICATIONS = 44;
    /** Authentications that a broker refused, or in which it did not prove who it is. */
    public static final int AUTHENTICATION_FAILURES = 45;
    /** Sessions that were renewed on a connection in use, before they expired (KIP-368). */
    public static final int REAUTHENTICATIONS = 46;
    public static final int AUTHENTICATION_NS = 47;
    public static final int TLS_KEY_UPDATES = 48;
    /** Failures of a token source that were reported; the last good token is used meanwhile. */
    public static final int TOKENS_NOT_RENEWED = 60;
    /**
     * Brokers that the JDK's TLS connects to because BoringSSL refuses the kind of key in their certificates, and 1
     * more if BoringSSL cannot be used although the settings allow it.
     */
    public static final int TLS_FALLBACKS = 61;

    /** Holds the counters, of which the first {@link #count()} are those of the list. */
    protected final AtomicBuffer values;

    /** @param values that another class writes. */
    protected ClientCounters(final AtomicBuffer values)
    {
        this.values = values;
    }

    /** @param other of the same client, whose values to show. */
    protected ClientCounters(final ClientCounters other)
    {
        values = other.values;
    }

    /** The number of counters, those of {@code ConsumerCounters} included; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return ListedCounter.count();
    }

    /**
     * What a counter counts, in a few words.
     *
     * @param id one of the constants of this class or of {@code ConsumerCounters}.
     */
    public static String name(final int id)
    {
        return ListedCounter.of(id).name();
    }

    /**
     * The value of a counter.
     *
     * @param id one of the constants of this class or of {@code ConsumerCounters}.
     */
    public final long get(final int id)
    {
        return values.getLongVolatile(CountersReader.counterOffset(id));
    }

    /** Whether a counter is one of this class. */
    protected boolean isShown(final int id)
    {
        return ListedCounter.of(id).isOfEachClient();
    }

    @Override
    public final String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < count(); id++)
        {
            if (isShown(id))
            {
                text.append(text.isEmpty() ? "" : ", ").append(name(id)).append('=').append(get(id));
            }
        }
        return text.toString();
    }
}
