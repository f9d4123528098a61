// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Kernel;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.ThreadUsage;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the steps of an arm: sends on schedule, watches the backlog, waits until everything that was sent has arrived.
 * The line of a step is {@code step CHAINS WARM_UP_MS MEASURED_MS}; the answer is a {@link Result}.
 */
public final class ChainTask implements RigMain.Task
{
    private static final String PRODUCER_THREAD_NAME = "kafka-producer-network-thread";
    /** The chains are spread over a millisecond; a thread that woke for each message would do little else. */
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(500);
    /** Messages of a chain on their way: 2 s behind is beyond all limits, and never made up for. */
    private static final int BACKLOG_LIMIT = 2_000;
    private static final long BACKLOG_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Settings settings;
    private final Cluster cluster;
    private Messages messages;
    private Chains chains;
    private long sent;
    private boolean isCut;

    /**
     * What one step of one arm came to.
     *
     * @param chains        how many ran.
     * @param isCut         sending was given up, because the backlog was seconds long.
     * @param usage         all records sent, each of which arrived exactly once; else of the measured time: the CPU of
     *                      the client's JVM with sender and services, of the threads of the services, and of the broker
     *                      if it is ours; latencies from when messages were due, empty if none was measured.
     * @param producerCpuNs of the producers' own threads, which make requests of their batches.
     * @param uncorrected   latencies from the actual time of sending, {@link Usage#encode encoded}.
     */
    record Result(
        int chains, @JsonProperty("isCut") boolean isCut, Usage usage, long producerCpuNs, String uncorrected)
    {
        private static final double LIMIT_PERCENTILE = 99.9;

        /** @return whether the chains held: all messages in time, coordinated omission corrected. */
        boolean isHeld(final long limitUs)
        {
            return !isCut && limitedUs() < limitUs;
        }

        /** The percentile that is limited. */
        double limitedUs()
        {
            return usage.latencyUs(LIMIT_PERCENTILE);
        }
    }

    /** @param settings arm, bootstrap, topics (how their six names begin), lingerMs, folder, and brokerPid if known. */
    public ChainTask(final Settings settings)
    {
        this.settings = settings;
        cluster = settings.has("brokerPid") ?
            Cluster.given(settings.text("bootstrap"), Long.valueOf(settings.text("brokerPid"))) :
            Cluster.given(settings.text("bootstrap"));
    }

    /** Fails if a message came twice, not at all or out of order, or a service failed. */
    @Override
    public Object obey(final String word, final String argument) throws InterruptedException
    {
        final int[] numbers = Arrays.stream(argument.split(" ")).mapToInt(Integer::parseInt).toArray();
        // What the last run holds takes 128 KiB for each of its chains.
        messages = null;
        chains = null;
        messages = new Messages(numbers[0], numbers[1], numbers[2]);
        sent = 0;
        isCut = false;
        try (Chains opened = ChainArm.valueOf(settings.text("arm")).open(settings, messages))
        {
            chains = opened;
            chains.awaitOpen();
            return run();
        }
    }

    private Result run()
    {
        messages.start(System.nanoTime() + PAUSE_NS);
        send(messages.warmUpMessages);
        final Usage usage = new Usage();
        final long startNs = System.nanoTime();
        final long processCpuNs = Kernel.ownCpuNs();
        final long threadCpuNs = ThreadUsage.cpuNs(Chains.THREAD_NAME);
        final long producerCpuNs = ThreadUsage.cpuNs(PRODUCER_THREAD_NAME);
        final long brokerCpuNs = cluster.brokerCpuNs();
        send(messages.messages);
        usage.wallNs = System.nanoTime() - startNs;
        usage.processCpuNs = Kernel.ownCpuNs() - processCpuNs;
        usage.threadCpuNs = ThreadUsage.cpuNs(Chains.THREAD_NAME) - threadCpuNs;
        final long producerCpuSince = ThreadUsage.cpuNs(PRODUCER_THREAD_NAME) - producerCpuNs;
        usage.brokerCpuNs = cluster.brokerCpuNsSince(brokerCpuNs);
        Await.until("the last of " + sent + " messages", () ->
        {
            chains.work();
            final boolean isComplete = messages.count() == sent;
            chains.throwFailure();
            return isComplete;
        });
        usage.records = sent;
        usage.latency = messages.corrected.getTotalCount() == 0 ? "" : Usage.encode(messages.corrected);
        return new Result(messages.chains, isCut, usage, producerCpuSince, Usage.encode(messages.uncorrected));
    }

    /** Sends until each chain has sent so many messages, or the backlog is too long. */
    private void send(final int ofChain)
    {
        final long end = (long)ofChain * messages.chains;
        long lookNs = System.nanoTime();
        while (sent < end && !isCut)
        {
            final long nowNs = System.nanoTime();
            for (; sent < end && messages.dueNs(sent) - nowNs <= 0; sent++)
            {
                messages.onSend(sent);
                chains.write((int)(sent % messages.chains), 0, 0, messages.dueNs(sent));
            }
            chains.work();
            if (nowNs - lookNs >= 0)
            {
                lookNs = nowNs + BACKLOG_LOOK_NS;
                chains.throwFailure();
                isCut = sent - messages.count() > (long)BACKLOG_LIMIT * messages.chains;
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
