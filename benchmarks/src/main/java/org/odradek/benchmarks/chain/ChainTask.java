// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Kernel;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.ThreadUsage;

/**
 * Runs the steps of an arm: sends on schedule, watches the backlog, waits until everything that was sent has arrived.
 * The line of a step is {@code step CHAINS WARM_UP_MS MEASURED_MS}; the answer is a {@link Result}.
 */
public final class ChainTask implements RigMain.Task
{
    static final String STEP = "step";
    static final long NO_PID = -1;
    private static final String PRODUCER_THREAD_NAME = "kafka-producer-network-thread";
    /** The chains are spread over a millisecond; a thread that woke for each message would do little else. */
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(500);
    /** Messages of a chain on their way: 2 s behind is beyond all limits, and never made up for. */
    private static final int BACKLOG_LIMIT = 2_000;
    private static final long BACKLOG_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long DRAIN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(120);

    private final ChainArm arm;
    private final Settings settings;
    private final long brokerPid;
    private ChainSchedule schedule;
    private Arrivals arrivals;
    private long sent;
    private boolean isCut;

    /**
     * What one step of one arm came to.
     *
     * @param chains            how many ran.
     * @param sent              messages, each of which arrived exactly once.
     * @param isCut             sending was given up, because the backlog was seconds long.
     * @param processCpuPercent of one core, the client's JVM with sender and services, in the measured time.
     * @param threadCpuPercent  of one core, the threads of the services.
     * @param producerCpuPercent of one core, the producers' own threads, which make requests of their batches.
     * @param brokerCpuPercent  of one core, the broker's process; 0 if there is none, or it is not ours.
     * @param corrected         latencies in nanoseconds from the intended time of sending, {@link Usage#encode
     *                          encoded}.
     * @param uncorrected       the same from the actual time of sending.
     */
    record Result(
        int chains,
        long sent,
        @JsonProperty("isCut") boolean isCut,
        double processCpuPercent,
        double threadCpuPercent,
        double producerCpuPercent,
        double brokerCpuPercent,
        String corrected,
        String uncorrected)
    {
        static final double LIMIT_PERCENTILE = 99.9;
        static final long LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(100);

        /**
         * @return whether the chains held: all messages in time, coordinated omission corrected.
         */
        @JsonIgnore
        boolean isHeld()
        {
            return !isCut && limitedNs() < LIMIT_NS;
        }

        /** The percentile that is limited; 0 if the step was cut before anything was measured. */
        long limitedNs()
        {
            return correctedHistogram().getValueAtPercentile(LIMIT_PERCENTILE);
        }

        Histogram correctedHistogram()
        {
            return Usage.decode(corrected);
        }

        Histogram uncorrectedHistogram()
        {
            return Usage.decode(uncorrected);
        }
    }

    /**
     * @param settings arm, bootstrap, topics (what the names of the six topics begin with), brokerPid, lingerMs,
     *                 folder.
     */
    public ChainTask(final Settings settings)
    {
        this.settings = settings;
        arm = ChainArm.ALL.stream()
            .filter(next -> next.client().equals(settings.text("arm"))).findFirst().orElseThrow();
        brokerPid = settings.number("brokerPid", NO_PID);
    }

    /**
     * @throws IllegalStateException if a message came twice, not at all or out of order, or a service failed.
     */
    @Override
    public Object obey(final String word, final String argument)
    {
        final String[] numbers = argument.split(" ");
        schedule = new ChainSchedule(
            Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
        arrivals = new Arrivals(schedule);
        sent = 0;
        isCut = false;
        try (Chains chains = arm.factory().open(settings, schedule.chains(), arrivals))
        {
            return run(chains);
        }
    }

    private Result run(final Chains chains)
    {
        schedule.start(System.nanoTime() + PAUSE_NS);
        send(chains, schedule.warmUpMessages());
        final long startNs = System.nanoTime();
        final long processCpuNs = Kernel.ownCpuNs();
        final long threadCpuNs = ThreadUsage.cpuNs(Chains.THREAD_NAME);
        final long producerCpuNs = ThreadUsage.cpuNs(PRODUCER_THREAD_NAME);
        final long brokerCpuNs = brokerCpuNs();
        send(chains, schedule.messages());
        final double measuredNs = System.nanoTime() - startNs;
        final double processCpuPercent = 100 * (Kernel.ownCpuNs() - processCpuNs) / measuredNs;
        final double threadCpuPercent = 100 * (ThreadUsage.cpuNs(Chains.THREAD_NAME) - threadCpuNs) / measuredNs;
        final double producerCpuPercent =
            100 * (ThreadUsage.cpuNs(PRODUCER_THREAD_NAME) - producerCpuNs) / measuredNs;
        final double brokerCpuPercent = 100 * (brokerCpuNs() - brokerCpuNs) / measuredNs;
        drain();
        return new Result(schedule.chains(), sent, isCut, processCpuPercent, threadCpuPercent,
            producerCpuPercent, brokerCpuPercent,
            Usage.encode(arrivals.corrected()), Usage.encode(arrivals.uncorrected()));
    }

    private long brokerCpuNs()
    {
        return brokerPid == NO_PID ? 0 : Kernel.cpuNs(brokerPid);
    }

    /** Sends until each chain has sent so many messages, or the backlog is too long. */
    private void send(final Chains chains, final int messages)
    {
        final long end = (long)messages * schedule.chains();
        long lookNs = System.nanoTime();
        while (sent < end && !isCut)
        {
            final long nowNs = System.nanoTime();
            sendDue(chains, end, nowNs);
            if (nowNs - lookNs >= 0)
            {
                lookNs = nowNs + BACKLOG_LOOK_NS;
                arrivals.throwFailure();
                isCut = sent - arrivals.count() > (long)BACKLOG_LIMIT * schedule.chains();
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void sendDue(final Chains chains, final long end, final long nowNs)
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
}
