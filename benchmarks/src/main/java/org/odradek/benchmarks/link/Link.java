// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;

import java.io.IOException;

/** The way from clients to a broker that is far away. One thread uses it. */
public interface Link extends AutoCloseable
{
    /** Returns two network namespaces with this MTU, or a delay line where there can be none. */
    static Link open(final int mtu) throws IOException
    {
        try
        {
            return new TunLink(mtu);
        }
        catch (final IllegalStateException ex)
        {
            return DelayLineLink.withWindow(ex.getMessage().lines().findFirst().orElse(""));
        }
    }

    /** Returns a proxy that only delays. */
    static Link proxy()
    {
        return DelayLineLink.withoutWindow();
    }

    /** Changes the settings of a broker that is to be reached over this link, and returns them. */
    BrokerSettings at(BrokerSettings settings) throws IOException;

    /** Returns the settings with which clients at the far end reach a broker that was started with such settings. */
    Settings connection(Cluster cluster, BrokerProcess broker);

    /** Returns the address on which a server near the broker listens that clients at the far end are to reach. */
    String host();

    /** Returns the settings with which clients at the far end reach a server on this port of {@link #host()}. */
    Settings connection(int port) throws IOException;

    /** Applies to all packets from now on. */
    void set(LinkConditions conditions);

    /** Returns whether it is real TCP: its packets can be lost, and congestion is controlled. */
    boolean isTcp();

    /** Says what it is, for the report. */
    String describe();

    @Override
    void close();
}
