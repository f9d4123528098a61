// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;

import java.nio.file.Files;
import java.nio.file.Path;

/** Two network namespaces: brokers run in that of this process, clients in the other. */
final class TunLink implements Link
{
    /** Each run on the machine has its own four addresses of 10.77.0.0/16. */
    private static final int NETWORKS = 1 << 14;
    private static final int ADDRESSES = 4;
    private static final int BYTE = 256;

    private final int network = (int) (ProcessHandle.current().pid() % NETWORKS) * ADDRESSES;
    private final String namespace = "odr" + ProcessHandle.current().pid();
    private final int mtu;
    private final Child task;

    /** @throws IllegalStateException if this machine or user cannot have it. */
    TunLink(final int mtu)
    {
        this.mtu = mtu;
        task = Child.start("link", TunTask.class, Settings.of(TunTask.NAMESPACE, namespace,
            TunTask.NEAR, host(), TunTask.FAR, address(2), TunTask.MTU, mtu), Child.Jvm.STANDARD);
        try
        {
            task.awaitStart();
        }
        catch (final IllegalStateException ex)
        {
            close();
            throw ex;
        }
    }

    private String address(final int number)
    {
        return "10.77." + network / BYTE + "." + (network % BYTE + number);
    }

    @Override
    public BrokerSettings at(final BrokerSettings settings)
    {
        return settings.host(host());
    }

    @Override
    public Settings connection(final Cluster cluster, final BrokerProcess broker)
    {
        return cluster.connection().with(through());
    }

    private Settings through()
    {
        return Settings.of(Child.THROUGH, "ip netns exec " + namespace);
    }

    @Override
    public String host()
    {
        return address(1);
    }

    @Override
    public Settings connection(final int port)
    {
        return Settings.of("bootstrap", host() + ":" + port).with(through());
    }

    @Override
    public void set(final LinkConditions conditions)
    {
        task.ask(TunTask.SET + " " + String.join(" ", conditions.toArguments()));
    }

    @Override
    public boolean isTcp()
    {
        return true;
    }

    @Override
    public String describe()
    {
        return "TCP between two network namespaces, MTU " + mtu;
    }

    /** The task removes the namespace, unless it was killed. */
    @Override
    public void close()
    {
        task.close();
        if (Files.exists(Path.of("/run/netns", namespace)))
        {
            TunTask.ip("netns delete " + namespace);
        }
    }
}
