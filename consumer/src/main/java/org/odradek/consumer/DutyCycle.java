/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.FetchReader;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.net.Poller;

import java.util.function.BooleanSupplier;

/**
 * What a poll does: read the clock, keep up with the cluster, receive, deliver, and if nothing came, wait.
 */
final class DutyCycle
{
    /**
     * So many sockets are read without asking the poller first which are ready.
     */
    private static final int MAX_LOOKED_AT = 4;

    private final DutyClock clock;
    private final Poller poller;
    private final Conductor conductor;
    private final FetchReader reader;
    private final PartitionStarts starts;
    private final CycleRecorder recorder;
    private final SafeCallbacks callbacks;
    private long pollerLookNs;
    /**
     * Set by other threads, with a wake-up of the poller, so that a wait sees it.
     */
    private volatile boolean isWoken;

    DutyCycle(
        final DutyClock clock,
        final Poller poller,
        final Conductor conductor,
        final FetchReader reader,
        final PartitionStarts starts,
        final SafeCallbacks callbacks,
        final CycleRecorder recorder)
    {
        this.clock = clock;
        this.poller = poller;
        this.conductor = conductor;
        this.reader = reader;
        this.starts = starts;
        this.recorder = recorder;
        this.callbacks = callbacks;
        pollerLookNs = clock.nowNs();
    }

    /**
     * @return records delivered.
     */
    int poll(final ControlledRecordHandler handler, final int recordLimit, final long timeoutNs)
    {
        reader.deliverRecordsTo(recorder.records(handler));
        return poll("recordLimit", recordLimit, timeoutNs);
    }

    /**
     * @return batches delivered.
     */
    int pollBatches(final BatchHandler handler, final int batchLimit, final long timeoutNs)
    {
        reader.deliverBatchesTo(recorder.batches(handler));
        return poll("batchLimit", batchLimit, timeoutNs);
    }

    private int poll(final String name, final int limit, final long timeoutNs)
    {
        if (limit < 1)
        {
            throw new IllegalArgumentException(name + " is " + limit + ": it must be 1 or more");
        }
        final long nowNs = clock.update();
        // Who waits anyway finds in the wait what has come; only where bulk is on its way a look before it pays.
        boolean isLooking = timeoutNs <= 0 || conductor.isBulk();
        // The poller also finds what nobody is looking for: an idle connection that was closed.
        if (conductor.fetcherCount() > MAX_LOOKED_AT || pollerLookNs - nowNs <= 0)
        {
            poller.await(0);
            pollerLookNs = nowNs + Conductor.INTERVAL_NS;
            isLooking &= conductor.fetcherCount() <= MAX_LOOKED_AT;
        }
        keepUp(isLooking);
        int delivered = deliver(limit);
        recorder.endCycle(delivered);
        if (delivered == 0 && timeoutNs > 0)
        {
            delivered = pollWaiting(limit, nowNs + timeoutNs);
        }
        recorder.endPoll(delivered);
        callbacks.rethrow();
        return delivered;
    }

    private int pollWaiting(final int limit, final long deadlineNs)
    {
        int delivered = 0;
        while (delivered == 0 && !reader.isOpen() && !isWoken && !callbacks.hasThrown() && await(deadlineNs))
        {
            keepUp(false);
            delivered = deliver(limit);
            recorder.endCycle(delivered);
        }
        isWoken = false;
        return delivered;
    }

    private void keepUp(final boolean isLooking)
    {
        conductor.doWork(isLooking);
        starts.doWork(conductor);
    }

    private int deliver(final int limit)
    {
        int delivered = reader.isOpen() ? reader.poll(limit) : 0;
        while (delivered < limit && !reader.isOpen())
        {
            final BrokerFetcher fetcher = conductor.nextDelivering();
            if (fetcher == null)
            {
                return delivered;
            }
            reader.open(fetcher);
            delivered += reader.poll(limit - delivered);
        }
        reader.park();
        return delivered;
    }

    /**
     * Wait for something to happen, and read the clock.
     *
     * @return false if the time is over, with nothing to do, or the thread is interrupted.
     */
    private boolean await(final long deadlineNs)
    {
        final long nowNs = clock.nowNs();
        if (deadlineNs - nowNs <= 0 || Thread.currentThread().isInterrupted())
        {
            return false;
        }
        final long nextNs = conductor.nextDeadlineNs(deadlineNs);
        final int ready = poller.await(Math.max(1, nextNs - nowNs));
        final long wokenNs = clock.update();
        pollerLookNs = wokenNs + Conductor.INTERVAL_NS;
        // Who has slept finds its code no longer in the caches: a cycle without work would cost more than the wait.
        return ready > 0 || nextNs != deadlineNs || deadlineNs - wokenNs > 0;
    }

    /**
     * Wait for something to come true, delivering nothing.
     *
     * @return false if it has not.
     */
    boolean await(final BooleanSupplier condition, final long timeoutNs)
    {
        final long deadlineNs = clock.update() + timeoutNs;
        boolean isMet;
        do
        {
            keepUp(true);
            recorder.endCycle(0);
            isMet = condition.getAsBoolean();
        }
        while (!isMet && !isWoken && !callbacks.hasThrown() && await(deadlineNs));
        isWoken = false;
        callbacks.rethrow();
        return isMet;
    }

    void wakeup()
    {
        isWoken = true;
        poller.wakeup();
    }
}
