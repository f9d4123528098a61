// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import java.util.Locale;

public enum ConnectionState
{
    CLOSED,
    BACKING_OFF,
    CONNECTING,
    NEGOTIATING,
    AUTHENTICATING,
    READY,
    /** Closed by the client or the broker because it was not used; {@code wake} reconnects it. */
    IDLE;

    boolean isConnected()
    {
        return this == NEGOTIATING || this == AUTHENTICATING || this == READY;
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
