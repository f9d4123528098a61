// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.affinity.ThreadPinning;
import org.odradek.benchmarks.arm.ProcessCpu;
import org.odradek.testkit.ThreadUsage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The polling thread: polls until told to stop, and reads its own meters between two polls when asked to, so that
 * records and bytes belong together. It allocates nothing itself, and that takes a class without a string constant: the
 * first time C2 compiles one of its methods, HotSpot would make the strings on this thread.
 */
final class PollingLoop implements Runnable
{
    private static final long LOOK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    // Volatile: written by one of the two threads and read by the other; marksTaken publishes the mark.
    private volatile boolean running = true;
    private volatile int marksWanted;
    private volatile int marksTaken;
    private volatile int marksRead;
    private volatile LiveClient client;
    private volatile Throwable failure;

    private long markTimeNs;
    private long markAllocatedBytes;
    private long markCpuNs;
    private long resumedTimeNs;
    private long resumedAllocatedBytes;
    private long resumedCpuNs;
    private final ClientSettings settings;
    private final ClientKind kind;
    private final ValueSink sink;
    private final Thread measuringThread = Thread.currentThread();
    private final Thread thread;

    PollingLoop(final ClientSettings settings, final String threadName)
    {
        thread = new Thread(this, threadName);
        this.settings = settings;
        kind = ClientKind.of(settings.client());
        sink = new ValueSink(settings.partitions());
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
            if (settings.core() != ClientSettings.NO_CORE)
            {
                ThreadPinning.pin(settings.core());
            }
            try (LiveClient opened = kind.open(settings, sink))
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

    private void poll(final LiveClient opened)
    {
        final boolean isSpinning = settings.isSpinning();
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
        // Read anew, so that standing still is in nobody's figures.
        resumedCpuNs = ThreadUsage.cpuNs();
        resumedAllocatedBytes = ThreadUsage.allocatedBytes();
        resumedTimeNs = System.nanoTime();
    }

    /**
     * Lets all counts begin anew.
     *
     * @return the meters that the polling thread does not read.
     */
    Reading begin()
    {
        awaitMark();
        sink.reset();
        final Reading reading = read();
        marksRead = marksTaken;
        return reading;
    }

    /**
     * @param from what {@link #begin()} returned.
     * @return what was used since.
     */
    Usage end(final Reading from)
    {
        awaitMark();
        final Reading to = read();
        final Usage usage = new Usage(sink.records(), sink.bytes(), sink.missing(), to.fetches() - from.fetches(),
            markTimeNs - resumedTimeNs, markCpuNs - resumedCpuNs, to.cpuNsProcess() - from.cpuNsProcess(),
            markAllocatedBytes - resumedAllocatedBytes, to.allocatedBytesJvm() - from.allocatedBytesJvm(),
            to.gcCount() - from.gcCount(), Latencies.encode(sink.latency()));
        marksRead = marksTaken;
        return usage;
    }

    /** Parked and not looking now and then: on an idle topic that would be most of the process's CPU. */
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
        final long cpuNsProcess = ProcessCpu.ownNs();
        // The polling thread knows its bytes better than they are seen from here: replace the one by the other.
        final long allocatedBytesJvm = ThreadUsage.jvmAllocatedBytes() - ThreadUsage.allocatedBytes() -
            ThreadUsage.allocatedBytes(threadId()) + markAllocatedBytes;
        return new Reading(client.fetches(), cpuNsProcess, allocatedBytesJvm, ThreadUsage.gcCount());
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

    /**
     * @return something that depends on every value.
     */
    long sum()
    {
        return sink.sum();
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
