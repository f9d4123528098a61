// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

/** Distinguishes the first connection to a broker from further connections for the same purpose. */
public enum ConnectionRole
{
    /** The first or only connection; the listener is notified of its loss. */
    FIRST,
    /** A further connection; the listener is not notified of its loss. */
    FURTHER;

    public static ConnectionRole of(final int number)
    {
        return number == 0 ? FIRST : FURTHER;
    }
}
