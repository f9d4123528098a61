// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

/**
 * Distinguishes the first connection to a broker from further connections for the same purpose, whose loss is no event.
 */
public enum ConnectionRole
{
    FIRST,
    FURTHER;

    public static ConnectionRole of(final int number)
    {
        return number == 0 ? FIRST : FURTHER;
    }
}
