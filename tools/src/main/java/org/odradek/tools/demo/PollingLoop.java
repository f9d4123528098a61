// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.odradek.testkit.ThreadUsage;

import java.util.function.Function;

/**
 * The polling thread: polls until told to stop, and reads its own meters between two polls when asked to, so that
 * records and bytes belong together. It allocates nothing itself, and that takes a class without a string constant: the
 * first time C2 compiles one of its methods, HotSpot would make the strings on this thread.
 */
final class PollingLoop implements Runnable
{
    // Volatile: these are written by one of the two threads and read by the other; marksTaken publishes the mark.
    private volatile boolean running = true;
    private volatile int marksWanted;
    private volatile int marksTaken;
    private volatile int marksRead;
    private volatile long records;
    private volatile long nextOffset;
    private volatile DemoClient client;
    private volatile Throwable failure;

    private long markTimeNs;
    private long markRecords;
    private long markAllocatedBytes;
    private long markCpuNs;
    private final ValueSink sink = new ValueSink();
    private final Function<ValueSink, DemoClient> connect;
    private final Thread thread = new Thread(this);

    PollingLoop(final Function<ValueSink, DemoClient> connect)
    {
        this.connect = connect;
    }

    void start()
    {
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run()
    {
        try (DemoClient connected = connect.apply(sink))
        {
            client = connected;
            while (running)
            {
                connected.poll();
                records = sink.records();
                nextOffset = sink.nextOffset();
                if (marksTaken != marksWanted)
                {
                    mark();
                }
            }
        }
        catch (final Throwable ex)
        {
            failure = ex;
        }
    }

    private void mark()
    {
        markTimeNs = System.nanoTime();
        markRecords = sink.records();
        markAllocatedBytes = ThreadUsage.allocatedBytes();
        markCpuNs = ThreadUsage.cpuNs();
        marksTaken = marksWanted;
        // Stands still while the other meters are read, so that all of them say the same moment.
        while (marksRead != marksTaken)
        {
            Thread.onSpinWait();
        }
    }

    /**
     * Has the polling thread read its meters, and reads the others at once.
     *
     * @return all of them.
     */
    Reading read() throws InterruptedException
    {
        marksWanted = marksTaken + 1;
        while (marksTaken != marksWanted)
        {
            checkAlive();
            Thread.sleep(1);
        }
        // The polling thread knows its bytes better than they are seen from here: replace the one by the other.
        final long allocatedBytesJvm = ThreadUsage.jvmAllocatedBytes() - ThreadUsage.allocatedBytes() -
            ThreadUsage.allocatedBytes(threadId()) + markAllocatedBytes;
        final Reading reading = new Reading(markTimeNs, markRecords, markAllocatedBytes, markCpuNs, client.fetches(),
            ThreadUsage.processCpuNs(), ThreadUsage.gcCount(), allocatedBytesJvm);
        marksRead = marksTaken;
        return reading;
    }

    /**
     * Ends the loop and waits for the client to be closed.
     *
     * @return what was delivered; only now may another thread look at it.
     */
    ValueSink stop() throws InterruptedException
    {
        running = false;
        thread.join();
        checkAlive();
        return sink;
    }

    void checkAlive()
    {
        if (failure != null)
        {
            throw new IllegalStateException(failure);
        }
    }

    long threadId()
    {
        return thread.getId();
    }

    long records()
    {
        return records;
    }

    long nextOffset()
    {
        return nextOffset;
    }
}
