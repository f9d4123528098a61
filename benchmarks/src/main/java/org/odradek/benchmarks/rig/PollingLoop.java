// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.odradek.affinity.ThreadPinning;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.ThreadUsage;

/**
 * The polling thread of a live topic: polls until told to stop, and reads its own meters between two polls when asked
 * to, so that records and bytes belong together. It allocates nothing itself. For that its class has no string
 * constant: HotSpot would make the strings on this thread when C2 first compiles one of its methods.
 */
final class PollingLoop implements Runnable
{
    static final int NO_CORE = -1;
    private static final long LOOK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    // Volatile: written by one of the two threads and read by the other; marksTaken publishes the mark.
    private volatile boolean running = true;
    private volatile int marksWanted;
    private volatile int marksTaken;
    private volatile int marksRead;
    private volatile Client client;
    private volatile Throwable failure;

    private long markTimeNs;
    private long markAllocatedBytes;
    private long markCpuNs;
    private long resumedTimeNs;
    private long resumedAllocatedBytes;
    private long resumedCpuNs;
    private Reading from;
    private final Supplier<Client> opening;
    private final Sink sink;
    private final boolean isSpinning;
    private final int core;
    private final Thread measuringThread = Thread.currentThread();
    private final Thread thread;

    /** The meters that the measuring thread reads while the polling thread stands still. */
    private record Reading(long fetches, long processCpuNs, long jvmAllocatedBytes, long gcCount, long compilerMs)
    {
    }

    /**
     * @param opening makes the client, on the polling thread.
     * @param core    on which the thread runs alone, or {@link #NO_CORE}.
     */
    PollingLoop(
        final String threadName,
        final Supplier<Client> opening,
        final Sink sink,
        final boolean isSpinning,
        final int core)
    {
        thread = new Thread(this, threadName);
        this.opening = opening;
        this.sink = sink;
        this.isSpinning = isSpinning;
        this.core = core;
    }

    /**
     * Returns when the client knows where it begins.
     */
    void start()
    {
        thread.setDaemon(true);
        thread.start();
        while (client == null)
        {
            checkAlive();
            LockSupport.parkNanos(LOOK_INTERVAL_NS);
        }
        // Once with nothing kept: loads the classes that the meters need.
        begin();
    }

    @Override
    public void run()
    {
        try
        {
            if (core != NO_CORE)
            {
                ThreadPinning.pin(core);
            }
            try (Client opened = opening.get())
            {
                client = opened;
                LockSupport.unpark(measuringThread);
                poll(opened);
            }
        }
        catch (final Throwable ex)
        {
            failure = ex;
            LockSupport.unpark(measuringThread);
        }
    }

    private void poll(final Client opened)
    {
        while (running)
        {
            opened.poll();
            if (isSpinning)
            {
                Thread.yield();
            }
            if (marksTaken != marksWanted)
            {
                mark();
            }
        }
    }

    private void mark()
    {
        markTimeNs = System.nanoTime();
        markAllocatedBytes = ThreadUsage.allocatedBytes();
        markCpuNs = ThreadUsage.cpuNs();
        marksTaken = marksWanted;
        LockSupport.unpark(measuringThread);
        // Stands still while the other meters are read, so that all of them say the same moment.
        while (marksRead != marksTaken && running)
        {
            Thread.onSpinWait();
        }
        // Read anew, so that standing still is in no figure.
        resumedCpuNs = ThreadUsage.cpuNs();
        resumedAllocatedBytes = ThreadUsage.allocatedBytes();
        resumedTimeNs = System.nanoTime();
    }

    /**
     * Lets all counts begin anew.
     */
    void begin()
    {
        awaitMark();
        sink.reset();
        from = read();
        marksRead = marksTaken;
    }

    /**
     * @return what was used since {@link #begin()}.
     */
    Usage end()
    {
        awaitMark();
        final Reading to = read();
        final Usage usage = sink.usage();
        usage.fetches = to.fetches() - from.fetches();
        usage.wallNs = markTimeNs - resumedTimeNs;
        usage.threadCpuNs = markCpuNs - resumedCpuNs;
        usage.processCpuNs = to.processCpuNs() - from.processCpuNs();
        usage.allocatedBytes = markAllocatedBytes - resumedAllocatedBytes;
        usage.processAllocatedBytes = to.jvmAllocatedBytes() - from.jvmAllocatedBytes();
        usage.gcCount = to.gcCount() - from.gcCount();
        usage.compilerMs = to.compilerMs() - from.compilerMs();
        marksRead = marksTaken;
        return usage;
    }

    /** Parked without looking now and then: on an idle topic that would be most of the process's CPU. */
    private void awaitMark()
    {
        marksWanted = marksTaken + 1;
        while (marksTaken != marksWanted)
        {
            checkAlive();
            LockSupport.parkNanos(LOOK_INTERVAL_NS);
        }
    }

    private Reading read()
    {
        final long processCpuNs = Kernel.ownCpuNs();
        // The measuring thread does not exist in a real service. The polling thread knows its own bytes better.
        final long jvmAllocatedBytes = ThreadUsage.jvmAllocatedBytes() - ThreadUsage.allocatedBytes() -
            ThreadUsage.allocatedBytes(threadId()) + markAllocatedBytes;
        return new Reading(client.fetches(), processCpuNs, jvmAllocatedBytes, ThreadUsage.gcCount(),
            RigMain.compilerMs());
    }

    /**
     * Ends the loop and waits for the client to be closed.
     */
    void stop() throws InterruptedException
    {
        running = false;
        thread.join();
        checkAlive();
    }

    private void checkAlive()
    {
        if (failure != null)
        {
            throw new IllegalStateException(failure);
        }
    }

    /** Thread.threadId() came with 19, when this one was deprecated. */
    @SuppressWarnings("deprecation")
    private long threadId()
    {
        return thread.getId();
    }
}
