// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.metrics.ListedCounter;

/**
 * Shows the counters of a client, one 64-bit value for each id. Any thread may read the counters, also after the client
 * has been closed. The values are in the counters file or, without a file, in direct memory.
 * <p>
 * {@code ConsumerCounters} adds the counters of a consumer, and {@code PublisherCounters} those of a publisher. An id
 * means the same counter in all three classes. The page {@code docs/operate.md} explains each counter.
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
    /** Counts the nanoseconds that TLS handshakes took on the client's thread, including the checks of certificates. */
    public static final int TLS_HANDSHAKE_NS = 39;
    public static final int TLS_VERIFICATION_NS = 40;
    public static final int TLS_FAILURES = 41;
    /** Counts how often certificate files were read again and taken into use. */
    public static final int TLS_RELOADS = 42;
    /** Counts the reported failures to use changed certificate files; the previous certificates stay in use. */
    public static final int TLS_RELOADS_FAILED = 43;
    /** Counts the successful SASL authentications, including those that renewed a session. */
    public static final int AUTHENTICATIONS = 44;
    /** Counts the authentications by SASL or TLS that failed, for example because a broker refused the credentials. */
    public static final int AUTHENTICATION_FAILURES = 45;
    /** Counts how often a SASL session was renewed on an open connection (KIP-368). */
    public static final int REAUTHENTICATIONS = 46;
    public static final int AUTHENTICATION_NS = 47;
    public static final int TLS_KEY_UPDATES = 48;
    /** Counts the reported failures of token sources. While a source fails, its last valid token is used. */
    public static final int TOKENS_NOT_RENEWED = 60;
    /**
     * Counts the reported uses of the JDK's TLS where the settings do not request the provider JDK: one for each broker
     * and kind of certificate key that BoringSSL refuses, and one if BoringSSL cannot be used at all.
     */
    public static final int TLS_FALLBACKS = 61;

    /** Contains the counters, in the layout of the values buffer of {@link CountersReader}. */
    protected final AtomicBuffer values;

    /** @param values memory of the counters, which another object writes. */
    protected ClientCounters(final AtomicBuffer values)
    {
        this.values = values;
    }

    /** @param other counters of the same client; the new object reads the same memory. */
    protected ClientCounters(final ClientCounters other)
    {
        values = other.values;
    }

    /**
     * Returns the number of counters, including those of {@code ConsumerCounters}. The ids are 0 to {@code count() -
     * 1}.
     */
    public static int count()
    {
        return ListedCounter.count();
    }

    /**
     * Returns the name of a counter, such as "bytes received".
     *
     * @param id one of the constants of this class or of {@code ConsumerCounters}.
     * @return the name in lower case, with the unit if there is one.
     * @throws IndexOutOfBoundsException if there is no counter with this id.
     */
    public static String name(final int id)
    {
        return ListedCounter.of(id).name();
    }

    /**
     * Returns the current value of a counter.
     *
     * @param id one of the constants of this class or of {@code ConsumerCounters}.
     * @return the value, in the unit that the name states.
     */
    public final long get(final int id)
    {
        return values.getLongVolatile(CountersReader.counterOffset(id));
    }

    /** Returns the counters that are not 0, with their names. */
    @Override
    public final String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < count(); id++)
        {
            if (get(id) != 0)
            {
                text.append(text.isEmpty() ? "" : ", ").append(name(id)).append('=').append(get(id));
            }
        }
        return text.toString();
    }
}
