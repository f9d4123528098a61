// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.protocol.ApiKeys;

import java.net.InetAddress;
import java.util.List;

/** What the oracles know of one connection and of the last request on it. */
final class Exchange
{
    final InetAddress address;
    int api = -1;
    int version;
    int brokerId;
    long requestNs;
    /** What the request asks for, unless it is a fetch. */
    List<RetryOracle.Part> parts = List.of();
    boolean isOutstanding;
    boolean isAnswered;
    /** Whether a request was sent that does not belong to the set-up of the connection. */
    boolean isUsed;
    long throttledUntilNs;
    /** Whether something was fetched over the connection. */
    boolean isFetching;
    /** Whether the last fetch knew no id of the topic. */
    boolean isByName;
    /** How many bytes the last fetch has asked for, and the fewest in the present phase, or 0. */
    int lastFetch;
    int leastFetch;
    /** When a response was sent that demands a wait, until the next fetch. */
    long throttleNs = ConnectionOracle.NEVER;
    /** Fetches since the broker has throttled the consumer. */
    int fetchesSinceThrottle;
    /** Short responses to fetches in a row, while nothing fails. */
    int shortResponses;

    Exchange(final InetAddress address)
    {
        this.address = address;
    }

    /** Returns whether the last request belongs to the set-up of a connection, which reconnects as a whole. */
    boolean isSetUp()
    {
        return api == ApiKeys.API_VERSIONS.id || isAuthenticating();
    }

    /** Returns whether the set-up goes on: a connect or a request of it has no answer yet. */
    boolean isBeginning()
    {
        return !isUsed && (isOutstanding || !isAnswered);
    }

    boolean isAuthenticating()
    {
        return api == ApiKeys.SASL_HANDSHAKE.id || api == ApiKeys.SASL_AUTHENTICATE.id;
    }
}
