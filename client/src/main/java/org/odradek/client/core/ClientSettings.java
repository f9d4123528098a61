// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.odradek.client.NameResolver;
import org.odradek.client.TransportType;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Holds the settings that every client has. */
public class ClientSettings implements Cloneable
{
    public static final String TRANSPORT_PROP_NAME = "org.odradek.transport";

    protected static final int MAX_LENGTH = Integer.MAX_VALUE - 8;
    private static final int CONTROL = 64 * 1024;
    private static final int CONTROL_PER_PARTITION = 64;
    private static final int UNKNOWN_BACKOFF_MAX_MS = 10_000;

    public String bootstrapServers;
    public String clientId = "odradek";
    public int receiveBufferMaxLength;
    public int socketReceiveBufferLength;
    public int connectTimeoutMs = 10_000;
    public int requestTimeoutMs = 30_000;
    public int reconnectBackoffMs = 50;
    public int reconnectBackoffMaxMs = 1_000;
    public int retryBackoffMs = 100;
    public int retryBackoffMaxMs = 1_000;
    public int metadataMaxAgeMs = 300_000;
    public int rebootstrapTriggerMs = 300_000;
    public int expectedLeaders = 3;
    public NameResolver nameResolver = NameResolver.SYSTEM;
    public RandomGenerator random = new SplittableRandom();

    public ClientSettings copy()
    {
        try
        {
            return (ClientSettings)clone();
        }
        catch (final CloneNotSupportedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    /** Returns the number of partitions if the settings state it, else 0. */
    public int partitionCount()
    {
        return 0;
    }

    public int receiveBufferMaxLength(final ConnectionRole role)
    {
        return receiveBufferMaxLength;
    }

    public int controlBufferLength()
    {
        return (int)Math.min(MAX_LENGTH, CONTROL + (long)partitionCount() * CONTROL_PER_PARTITION);
    }

    public static long ns(final int ms)
    {
        return ms * 1_000_000L;
    }

    public Backoff reconnectBackoff()
    {
        return new Backoff(ns(reconnectBackoffMs), ns(reconnectBackoffMaxMs), random);
    }

    public Backoff retryBackoff()
    {
        return new Backoff(ns(retryBackoffMs), ns(retryBackoffMaxMs), random);
    }

    public Backoff metadataBackoff()
    {
        return new Backoff(ns(retryBackoffMs), ns(UNKNOWN_BACKOFF_MAX_MS), random);
    }

    /**
     * Returns the transport that the user has set or, without one, that of the system property; null if the user has
     * set a poller.
     */
    public static TransportType transport(final TransportType given, final boolean isPollerGiven)
    {
        if (isPollerGiven && given != null)
        {
            throw new IllegalArgumentException("transport is " + given +
                " and a poller is given too: the poller has its own, set one of them");
        }
        final String name = System.getProperty(TRANSPORT_PROP_NAME, TransportType.AUTO.name());
        try
        {
            return given != null || isPollerGiven ? given : TransportType.valueOf(name.toUpperCase(Locale.ROOT));
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IllegalArgumentException(
                TRANSPORT_PROP_NAME + " is '" + name + "': it must be auto, nio or epoll", ex);
        }
    }

    public void checkClient()
    {
        checkSet("clientId", clientId);
        checkSet("nameResolver", nameResolver);
        checkSet("random", random);
        checkRange("socketReceiveBufferLength", socketReceiveBufferLength, 0, Integer.MAX_VALUE);
        checkPositive("connectTimeoutMs", connectTimeoutMs);
        checkBackoff("reconnectBackoffMs", reconnectBackoffMs, reconnectBackoffMaxMs);
        checkBackoff("retryBackoffMs", retryBackoffMs, retryBackoffMaxMs);
        checkPositive("metadataMaxAgeMs", metadataMaxAgeMs);
        checkPositive("rebootstrapTriggerMs", rebootstrapTriggerMs);
        checkRange("expectedLeaders", expectedLeaders, 1, 100_000);
    }

    private static void checkBackoff(final String name, final int firstMs, final int maxMs)
    {
        checkPositive(name, firstMs);
        checkRange(name + " at most", maxMs, firstMs, Integer.MAX_VALUE);
    }

    public static void checkPositive(final String name, final int value)
    {
        checkRange(name, value, 1, Integer.MAX_VALUE);
    }

    public static void checkRange(final String name, final long value, final long least, final long most)
    {
        if (value < least || value > most)
        {
            throw new IllegalArgumentException(
                name + " is " + value + ": it must be from " + least + " to " + most);
        }
    }

    public static void checkSet(final String name, final Object value)
    {
        if (value == null)
        {
            throw new IllegalArgumentException(name + " is null: it must be set");
        }
    }
}
