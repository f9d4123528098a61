// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

/** What a connection is among those of one purpose to the same broker. */
public enum ConnectionRole
{
    /**
     * The first or only one. Its failures are those of the broker, and are reported; it stays while there are others,
     * and may have as long a buffer as a response needs.
     */
    FIRST,
    /** One beside it. It comes and goes without a report, and what it cannot do is left to the first one. */
    FURTHER;

    /** @param number of the connection, from 0. */
    public static ConnectionRole of(final int number)
    {
        return number == 0 ? FIRST : FURTHER;
    }
}
