// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.control.Conductor;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.FetchReader;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.DutyClock;

import java.util.concurrent.TimeUnit;
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

    /** When there is nothing to do of one's own, waits are cut into pieces of this. */
    private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);

    private final PollGuard guard;
    private final DutyClock clock;
    private final Poller poller;
    private final Conductor conductor;
    private final FetchReader reader;
    private final PartitionStarts starts;
    private final CycleRecorder recorder;
    private final SafeCallbacks callbacks;
    private long pollerLookNs;
    private long nextDeadlineNs;
    /**
     * A wait has ended and nothing had happened: before {@link #nextDeadlineNs} there is nothing to do but to wait on.
     */
    private boolean isQuiet;
    /**
     * Set by other threads, with a wake-up of the poller, so that a wait sees it.
     */
    private volatile boolean isWoken;

    DutyCycle(
        final PollGuard guard,
        final ConsumerEnvironment environment,
        final Conductor conductor,
        final FetchReader reader,
        final PartitionStarts starts,
        final SafeCallbacks callbacks,
        final CycleRecorder recorder)
    {
        this.guard = guard;
        clock = environment.clock();
        poller = environment.poller();
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
        int delivered = 0;
        // Who has slept finds its code no longer in the caches: a cycle without work would cost more than the wait.
        if (guard.takeChanged() || !isQuiet || timeoutNs <= 0 || nextDeadlineNs - nowNs <= 0)
        {
            delivered = cycle(limit, isLooking(nowNs, timeoutNs));
        }
        if (delivered == 0 && timeoutNs > 0)
        {
            delivered = pollWaiting(limit, nowNs + timeoutNs);
        }
        recorder.endPoll(delivered);
        callbacks.rethrow();
        return delivered;
    }

    /** Who waits anyway finds in the wait what has come; only where bulk is on its way a look before it pays. */
    private boolean isLooking(final long nowNs, final long timeoutNs)
    {
        boolean isLooking = timeoutNs <= 0 || conductor.isBulk();
        // The poller also finds what nobody is looking for: an idle connection that was closed.
        if (conductor.fetcherCount() > MAX_LOOKED_AT || pollerLookNs - nowNs <= 0)
        {
            poller.await(0);
            pollerLookNs = nowNs + Conductor.INTERVAL_NS;
            isLooking &= conductor.fetcherCount() <= MAX_LOOKED_AT;
        }
        return isLooking;
    }

    private int cycle(final int limit, final boolean isLooking)
    {
        keepUp(isLooking);
        final int delivered = deliver(limit);
        recorder.endCycle(delivered);
        return delivered;
    }

    private int pollWaiting(final int limit, final long deadlineNs)
    {
        int delivered = 0;
        while (delivered == 0 && !reader.isOpen() && !isWoken && !callbacks.hasThrown() && await(deadlineNs))
        {
            delivered = cycle(limit, false);
        }
        isWoken = false;
        return delivered;
    }

    private void keepUp(final boolean isLooking)
    {
        isQuiet = false;
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
                break;
            }
            reader.open(fetcher);
            delivered += reader.poll(limit - delivered);
        }
        conductor.park();
        return delivered;
    }

    /**
     * Wait until there may be something to do, and read the clock.
     *
     * @return false if the time is over with nothing to do, or the thread is interrupted.
     */
    private boolean await(final long deadlineNs)
    {
        final long nowNs = clock.nowNs();
        if (deadlineNs - nowNs <= 0 || Thread.currentThread().isInterrupted())
        {
            return false;
        }
        if (!isQuiet)
        {
            nextDeadlineNs = conductor.nextDeadlineNs(nowNs + FAR_NS);
        }
        final long nextNs = nextDeadlineNs - deadlineNs < 0 ? nextDeadlineNs : deadlineNs;
        final int ready = poller.await(Math.max(1, nextNs - nowNs));
        final long wokenNs = clock.update();
        pollerLookNs = wokenNs + Conductor.INTERVAL_NS;
        isQuiet = ready == 0 && deadlineNs - wokenNs <= 0 && nextDeadlineNs - wokenNs > 0;
        return !isQuiet;
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
            conductor.park();
            recorder.endCycle(0);
            isMet = condition.getAsBoolean();
        }
        while (!isMet && !isWoken && !callbacks.hasThrown() && await(deadlineNs));
        isWoken = false;
        // Records may have arrived, which the next poll must deliver before it waits.
        isQuiet = false;
        callbacks.rethrow();
        return isMet;
    }

    void wakeup()
    {
        isWoken = true;
        poller.wakeup();
    }
}
