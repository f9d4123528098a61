// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.SecureListener;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The brokers of a run.
 *
 * @param bootstrap  HOST:PORT, without TLS: where topics are made and records written.
 * @param brokerPids the processes whose CPU time is taken; none if it is not known.
 * @param isGiven    whether it was there before the run and stays after it.
 * @param connection settings with which the clients under measurement connect: bootstrap, and config if it is secured.
 */
public record Cluster(String bootstrap, List<Long> brokerPids, boolean isGiven, Settings connection)
{
    /** In the connection of a secured cluster: the address without TLS, and what to trust as PEM. */
    public static final String PLAIN_BOOTSTRAP = "plainBootstrap";
    public static final String TRUST_PEM = "trustPem";
    private static final String MECHANISM = "SCRAM-SHA-512";

    public static Cluster given(final String bootstrap, final Long... brokerPids)
    {
        return new Cluster(bootstrap, List.of(brokerPids), true, Settings.of("bootstrap", bootstrap));
    }

    public static Cluster of(final BrokerCluster cluster)
    {
        return new Cluster(cluster.bootstrapServers(), IntStream.rangeClosed(1, cluster.brokerCount())
            .mapToObj((id) -> cluster.broker(id).pid()).toList(), false,
            Settings.of("bootstrap", cluster.bootstrapServers()));
    }

    /** A broker to which clients connect with TLS, and with SCRAM if the listener demands it. */
    public static Cluster secured(final BrokerProcess broker, final SecureListener listener)
    {
        return new Cluster(broker.bootstrapServers(), List.of(broker.pid()), false,
            Settings.of("bootstrap", broker.bootstrapServers(listener),
            PLAIN_BOOTSTRAP, broker.bootstrapServers(), TRUST_PEM, broker.security().trustPem(),
            "config", broker.security().writeClientProperties(listener, MECHANISM)));
    }

    /** Nanoseconds of CPU that the brokers have used so far, or {@link Usage#UNKNOWN}. */
    public long brokerCpuNs()
    {
        return brokerPids.isEmpty() ? Usage.UNKNOWN : brokerPids.stream().mapToLong(Kernel::cpuNs).sum();
    }

    /** Nanoseconds of CPU that the brokers have used since then, or {@link Usage#UNKNOWN}. */
    public long brokerCpuNsSince(final long fromNs)
    {
        return fromNs == Usage.UNKNOWN ? Usage.UNKNOWN : brokerCpuNs() - fromNs;
    }

    public static String describe(final String given)
    {
        return given == null ? "own, in its own JVM on this machine" : "given";
    }
}
