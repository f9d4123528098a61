// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.odradek.testkit.ThreadUsage;

import java.util.function.Function;

/**
 * The polling thread of a client. On request it reads its own meters between two polls, so that records and bytes are
 * of the same moment. It allocates nothing. For this the class has no string constants: HotSpot would create them on
 * this thread when C2 first compiles one of its methods.
 */
final class PollingLoop implements Runnable
{
    // Volatile: one of the two threads writes them and the other reads them; readingsTaken publishes the fields below.
    private volatile boolean running = true;
    private volatile int readingsWanted;
    private volatile int readingsTaken;
    private volatile int readingsDone;
    private volatile long records;
    private volatile long nextOffset;
    private volatile DemoClient client;
    private volatile Throwable failure;

    private long ownTimeNs;
    private long ownRecords;
    private long ownAllocatedBytes;
    private long ownCpuNs;
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
                if (readingsTaken != readingsWanted)
                {
                    readOwn();
                }
            }
        }
        catch (final Throwable ex)
        {
            failure = ex;
        }
    }

    private void readOwn()
    {
        ownTimeNs = System.nanoTime();
        ownRecords = sink.records();
        ownAllocatedBytes = ThreadUsage.allocatedBytes();
        ownCpuNs = ThreadUsage.cpuNs();
        readingsTaken = readingsWanted;
        // Waits while the other meters are read, so that all of them show the same moment.
        while (readingsDone != readingsTaken)
        {
            Thread.onSpinWait();
        }
    }

    /**
     * Makes the polling thread read its meters, and reads the other meters at the same moment.
     *
     * @return all meters.
     */
    DemoResult.Reading read() throws InterruptedException
    {
        readingsWanted = readingsTaken + 1;
        while (readingsTaken != readingsWanted)
        {
            checkAlive();
            Thread.sleep(1);
        }
        // The polling thread reads its own bytes exactly, so they replace the estimate that is visible from here.
        final long allocatedBytesJvm = ThreadUsage.jvmAllocatedBytes() - ThreadUsage.allocatedBytes() -
            ThreadUsage.allocatedBytes(threadId()) + ownAllocatedBytes;
        final DemoResult.Reading reading = new DemoResult.Reading(
            ownTimeNs, ownRecords, ownAllocatedBytes, ownCpuNs, client.fetches(),
            ThreadUsage.processCpuNs(), ThreadUsage.gcCount(), allocatedBytesJvm);
        readingsDone = readingsTaken;
        return reading;
    }

    /**
     * Ends the loop and waits until the client is closed.
     *
     * @return the sink, which another thread may read only after this call.
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
