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
    /** Closed by the client or the broker while unused; {@link BrokerConnection#wake()} requests a reconnect. */
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
