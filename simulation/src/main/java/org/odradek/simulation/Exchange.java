// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

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
    long throttledUntilNs;

    Exchange(final InetAddress address)
    {
        this.address = address;
    }
}
