// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.arm.ProcessCpu;

/**
 * What a broker on this machine has used of the CPU so far. Nothing is known of a broker that was not started here, or
 * where the kernel is not Linux.
 */
final class BrokerCpu
{
    static final long UNKNOWN = -1;

    private final long pid;

    private BrokerCpu(final long pid)
    {
        this.pid = pid;
    }

    static BrokerCpu of(final long pid)
    {
        return new BrokerCpu(isLinux() ? pid : UNKNOWN);
    }

    static BrokerCpu unknown()
    {
        return new BrokerCpu(UNKNOWN);
    }

    static boolean isLinux()
    {
        return "Linux".equals(System.getProperty("os.name"));
    }

    /**
     * @return nanoseconds since its start, or {@link #UNKNOWN}.
     */
    long ns()
    {
        return pid == UNKNOWN ? UNKNOWN : ProcessCpu.ns(pid);
    }
}
