// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.protocol.PrintableText;

import java.io.IOException;
import java.net.UnknownHostException;

final class NetworkErrors
{
    private NetworkErrors()
    {
    }

    static String closedByBroker(final ConnectionState state)
    {
        return switch (state)
        {
            case READY -> "closed by the broker while a response was outstanding";
            case AUTHENTICATING -> "closed by the broker during the authentication, without an answer";
            default -> "closed by the broker before it responded, as a broker that expects TLS does";
        };
    }

    static String notAuthenticated(
        final int nodeId, final String address, final String mechanism, final String reason)
    {
        return "Cannot authenticate with " + mechanism + " at " +
            (nodeId < 0 ? "bootstrap server " : "broker " + nodeId + " at ") + address + ": " + reason +
            "; the client connects again after a second or more.";
    }

    static String broken(final IOException ex)
    {
        if (ex instanceof UnknownHostException)
        {
            // The message of this exception is only the name.
            return PrintableText.of(ex.toString());
        }
        return ex.getMessage() == null ? "connection broken" : PrintableText.of(ex.getMessage());
    }

    static String cannotConnect(
        final boolean isReached, final int nodeId, final String address, final String reason)
    {
        return "Cannot connect to " + (nodeId < 0 ? "bootstrap server " : "broker " + nodeId + " at ") + address +
            ": " + reason + (nodeId < 0 || isReached ? "" : "; this is the address that the broker advertises (its " +
            "advertised.listeners): if it cannot be reached from here, correct it there") +
            "; the client connects again.";
    }
}
