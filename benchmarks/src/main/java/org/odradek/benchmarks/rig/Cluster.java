// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.BrokerProcess;

/**
 * The brokers of a run.
 *
 * @param bootstrap HOST:PORT.
 * @param brokerPid the process of the one broker whose CPU time is taken, or {@link #NO_PID}.
 * @param isGiven   whether it was there before the run and stays after it.
 */
public record Cluster(String bootstrap, long brokerPid, boolean isGiven)
{
    public static final long NO_PID = -1;

    public static Cluster given(final String bootstrap)
    {
        return new Cluster(bootstrap, NO_PID, true);
    }

    public static Cluster of(final BrokerProcess broker)
    {
        return new Cluster(broker.bootstrapServers(), broker.pid(), false);
    }

    /**
     * @return nanoseconds of CPU that the broker has used so far, or {@link Usage#UNKNOWN}.
     */
    public long brokerCpuNs()
    {
        return brokerPid == NO_PID ? Usage.UNKNOWN : Kernel.cpuNs(brokerPid);
    }

    /**
     * @param fromNs of {@link #brokerCpuNs()}.
     * @return nanoseconds of CPU that the broker has used since, or {@link Usage#UNKNOWN}.
     */
    public long brokerCpuNsSince(final long fromNs)
    {
        return fromNs == Usage.UNKNOWN ? Usage.UNKNOWN : brokerCpuNs() - fromNs;
    }

    /**
     * @return for the report.
     */
    public static String describe(final String given)
    {
        return given == null ? "own, in its own JVM on this machine" : "given";
    }
}
