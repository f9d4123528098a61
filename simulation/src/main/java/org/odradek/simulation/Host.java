// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelBroker;

import java.net.InetAddress;

/** The machine of one broker as the network sees it. */
final class Host
{
    final String name;
    final int port;
    final ModelBroker broker;
    InetAddress address;
    /** False while the process of the broker does not run. */
    boolean isUp = true;
    /** True while the machine does not run either, so that nothing answers. */
    boolean isSilent;
    /** True while the process is stopped: the system accepts connections and bytes, and nobody reads them. */
    boolean isPaused;
    /** True if the broker never comes back. */
    boolean isGone;
    /** True if no name leads to the broker any more. */
    boolean isDecommissioned;
    /** How many of the next connects are refused. */
    int refusedConnects;
    /** How many of the next attempts to connect get no answer. */
    int ignoredConnects;
    /** Whether a lookup has returned the address. */
    boolean wasLookedUp;

    Host(final String name, final int port, final InetAddress address, final ModelBroker broker)
    {
        this.name = name;
        this.port = port;
        this.address = address;
        this.broker = broker;
    }
}
