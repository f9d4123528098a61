// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

/** The role of a connection among the connections of one purpose to the same broker. */
public enum ConnectionRole
{
    /**
     * The first or only connection. Its failures count as failures of the broker, and are reported. It is kept while
     * there are further connections, and its buffer may grow up to the maximum length in the settings.
     */
    FIRST,
    /**
     * A further connection. It is opened and closed without a report. The first connection does what a further
     * connection cannot do, such as receiving a very large batch.
     */
    FURTHER;

    /**
     * Returns the role of a connection.
     *
     * @param number number of the connection, from 0.
     */
    public static ConnectionRole of(final int number)
    {
        return number == 0 ? FIRST : FURTHER;
    }
}
