// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.odradek.benchmarks.report.Usage;

/**
 * The polling thread of a live topic: polls until told to stop, and reads its meters between two polls when asked to,
 * so that records and bytes belong together. It allocates nothing itself. For that its class has no string constant:
 * HotSpot would make the strings on this thread when C2 first compiles one of its methods.
 */
final class PollingLoop implements Runnable
{
    private static final long LOOK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    // Volatile: written by one of the two threads and read by the other.
    private volatile boolean running = true;
    private volatile Consumer<Client> request;
    private volatile Throwable failure;

    private final Supplier<Client> opening;
    private final Sink sink;
    private final boolean isSpinning;
    private final Thread measuringThread = Thread.currentThread();
    private final Meters meters = new Meters(measuringThread);
    private final Thread thread;

    /** @param opening makes the client, on the polling thread. */
    PollingLoop(
        final String threadName, final Supplier<Client> opening, final Sink sink, final boolean isSpinning)
    {
        thread = new Thread(this, threadName);
        thread.setDaemon(true);
        this.opening = opening;
        this.sink = sink;
        this.isSpinning = isSpinning;
    }

    /** Returns when the client knows where it begins. */
    void start()
    {
        thread.start();
        // Once with nothing kept: loads the classes that the meters need.
        begin();
    }

    @Override
    public void run()
    {
        try (Client client = opening.get())
        {
            while (running)
            {
                if (request != null)
                {
                    answer(client);
                }
                client.poll();
                if (isSpinning)
                {
                    Thread.yield();
                }
            }
        }
        catch (final Throwable ex)
        {
            failure = ex;
            LockSupport.unpark(measuringThread);
        }
    }

    private void answer(final Client client)
    {
        request.accept(client);
        request = null;
        LockSupport.unpark(measuringThread);
    }

    /** Lets all counts begin anew. */
    void begin()
    {
        betweenPolls(client ->
        {
            sink.reset();
            meters.begin(client);
        });
    }

    /** @return what was used since {@link #begin()}. */
    Usage end()
    {
        final Usage usage = new Usage();
        betweenPolls(client ->
        {
            meters.end(client, usage);
            sink.addTo(usage);
        });
        return usage;
    }

    /** Parked without looking now and then: on an idle topic that would be most of the process's CPU. */
    private void betweenPolls(final Consumer<Client> reading)
    {
        request = reading;
        while (request != null)
        {
            checkAlive();
            LockSupport.parkNanos(LOOK_INTERVAL_NS);
        }
    }

    /** Ends the loop and waits for the client to be closed. */
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
}
