// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.arm.ProcessCpu;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * One step in the arm's JVM: sends on schedule, watches the backlog, waits until everything sent has arrived.
 */
final class StepRun
{
    /** The chains are spread over a millisecond; who woke for each message would do little else. */
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(500);

    /** Messages of a chain on their way: 2 s behind is beyond all limits, and never made up for. */
    private static final int BACKLOG_LIMIT = 2_000;
    private static final long BACKLOG_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long DRAIN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(120);

    private final ChainSchedule schedule;
    private final Chains chains;
    private final Arrivals arrivals;
    private final LongSupplier brokerCpuNs;
    private long sent;
    private boolean isCut;
    private long measuredNs;
    private long processCpu;
    private long brokerCpu;

    /**
     * @param brokerCpuNs of the broker's process so far, or always 0.
     */
    StepRun(
        final ChainSchedule schedule, final Chains chains, final Arrivals arrivals, final LongSupplier brokerCpuNs)
    {
        this.schedule = schedule;
        this.chains = chains;
        this.arrivals = arrivals;
        this.brokerCpuNs = brokerCpuNs;
    }

    /**
     * @throws IllegalStateException if a message came twice, not at all or out of order, or a service failed.
     */
    StepResult run()
    {
        schedule.start(System.nanoTime() + PAUSE_NS);
        send(schedule.warmUpMessages());
        begin();
        send(schedule.messages());
        end();
        drain();
        return new StepResult(schedule.chains(), sent, isCut,
            percent(processCpu), percent(brokerCpu),
            Histograms.encode(arrivals.corrected()), Histograms.encode(arrivals.uncorrected()));
    }

    private void begin()
    {
        measuredNs = -System.nanoTime();
        processCpu = -ProcessCpu.ownNs();
        brokerCpu = -brokerCpuNs.getAsLong();
    }

    private void end()
    {
        measuredNs += System.nanoTime();
        processCpu += ProcessCpu.ownNs();
        brokerCpu += brokerCpuNs.getAsLong();
    }

    /** Sends until each chain has sent so many messages, or the backlog is too long. */
    private void send(final int messages)
    {
        final long end = (long)messages * schedule.chains();
        long lookNs = System.nanoTime();
        while (sent < end && !isCut)
        {
            final long nowNs = System.nanoTime();
            sendDue(end, nowNs);
            if (nowNs - lookNs >= 0)
            {
                lookNs = nowNs + BACKLOG_LOOK_NS;
                arrivals.throwFailure();
                isCut = sent - arrivals.count() > (long)BACKLOG_LIMIT * schedule.chains();
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void sendDue(final long end, final long nowNs)
    {
        int chain = (int)(sent % schedule.chains());
        long number = sent / schedule.chains();
        while (sent < end)
        {
            final long intendedNs = schedule.intendedNs(chain, number);
            if (intendedNs - nowNs > 0)
            {
                return;
            }
            arrivals.onSend(chain, number, System.nanoTime());
            chains.send(chain, intendedNs);
            sent++;
            if (++chain == schedule.chains())
            {
                chain = 0;
                number++;
            }
        }
    }

    private void drain()
    {
        final long deadlineNs = System.nanoTime() + DRAIN_TIMEOUT_NS;
        while (arrivals.count() < sent)
        {
            arrivals.throwFailure();
            if (deadlineNs - System.nanoTime() < 0)
            {
                throw new IllegalStateException(
                    (sent - arrivals.count()) + " of " + sent + " messages did not arrive");
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
        arrivals.throwFailure();
    }

    private double percent(final long cpuNs)
    {
        return 100.0 * cpuNs / measuredNs;
    }
}
