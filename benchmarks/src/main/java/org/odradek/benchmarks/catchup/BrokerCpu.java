/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import java.time.Duration;

/**
 * What a broker on this machine has used of the CPU so far, as the operating system counts it: in steps of 10 ms on
 * Linux. Nothing is known of a broker that was not started here.
 */
final class BrokerCpu
{
    static final long UNKNOWN = -1;

    private final ProcessHandle process;

    private BrokerCpu(final ProcessHandle process)
    {
        this.process = process;
    }

    static BrokerCpu of(final long pid)
    {
        return new BrokerCpu(ProcessHandle.of(pid).orElseThrow());
    }

    static BrokerCpu unknown()
    {
        return new BrokerCpu(null);
    }

    /**
     * @return nanoseconds since its start, or {@link #UNKNOWN}.
     */
    long ns()
    {
        return process == null ? UNKNOWN : process.info().totalCpuDuration().map(Duration::toNanos).orElse(UNKNOWN);
    }
}
