// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.odradek.client.Poller;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.engine.ClientLoop;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.FetchReader;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.group.GroupReconciliation;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Does the work of a poll: reads the clock, maintains the connections and the assignment, receives, delivers, and waits
 * if nothing was delivered.
 */
public final class DutyCycle
{
    public static final BooleanSupplier NEVER = () -> false;

    /** The longest single wait; the cycle after a wait refreshes the time of the last poll in the counters file. */
    private static final long FAR_NS = TimeUnit.SECONDS.toNanos(10);

    /** The longest wait after a change by a callback; a condition that changes something each time must not spin. */
    private static final long CHANGED_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The time after the timeout of a close in which the coordinator may read the last requests. */
    private static final long LAST_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final PollGuard guard;
    private final DutyClock clock;
    private final Poller poller;
    private final ClientLoop loop;
    private final Conductor conductor;
    private final FetchReader reader;
    private final PartitionAssignment assignment;
    /** This field is null without a group. */
    private GroupReconciliation group;
    private final CycleRecorder recorder;
    private final SafeCallbacks callbacks;
    private long nextDeadlineNs;
    /** The time at which the last wait ended or, without a wait, the last cycle began. */
    private long begunNs;
    /**
     * True if the last wait ended without an event of this consumer, so that there is nothing to do before {@link
     * #nextDeadlineNs}.
     */
    private boolean isQuiet;
    /** This flag is set before the poller is woken. */
    private volatile boolean isWoken;

    public DutyCycle(
        final PollGuard guard,
        final Environment environment,
        final Conductor conductor,
        final FetchReader reader,
        final PartitionAssignment assignment,
        final SafeCallbacks callbacks,
        final CycleRecorder recorder)
    {
        this.guard = guard;
        clock = environment.clock();
        poller = environment.poller();
        loop = new ClientLoop(clock, poller);
        this.conductor = conductor;
        this.reader = reader;
        this.assignment = assignment;
        this.recorder = recorder;
        this.callbacks = callbacks;
        begunNs = clock.nowNs();
        clock.nextDeadline(this::findDeadlineNs);
        clock.onKeepAlive(this::keepAliveBesideAnother);
    }

    public void reconcile(final GroupReconciliation reconciliation)
    {
        group = reconciliation;
    }

    public void deliverRecordsTo(final ControlledRecordHandler handler)
    {
        reader.deliverRecordsTo(recorder.records(handler));
    }

    public void deliverBatchesTo(final BatchHandler handler)
    {
        reader.deliverBatchesTo(recorder.batches(handler));
    }

    public int poll(final int limit, final long timeoutNs, final BooleanSupplier isOver)
    {
        checkLimit(limit);
        final long startNs = clock.update();
        endCycle(startNs);
        boolean isDue = takeDue(startNs, timeoutNs);
        // A poll that may wait is notified by the wait of arrived data; reading before the wait pays only if much data
        // arrives.
        boolean isPollingSockets =
            isDue && loop.chooseSockets(conductor.fetcherCount(), timeoutNs <= 0 || conductor.isBulk());
        int delivered = 0;
        boolean isWaiting = false;
        boolean isEnded = false;
        while (!isEnded)
        {
            if (isDue)
            {
                isQuiet = false;
                doWork(isPollingSockets);
                delivered = group != null && group.isCutShort() ? 0 : deliver(limit);
                clock.idle(delivered == 0 && !reader.isOpen());
                conductor.park();
                recorder.endCycle(delivered);
            }
            isWaiting = delivered == 0 && timeoutNs > 0;
            isEnded = delivered > 0 || isWoken || callbacks.hasThrown() || isOver.getAsBoolean() ||
                !continueWaiting(startNs + timeoutNs, timeoutNs);
            isDue = true;
            isPollingSockets = false;
        }
        if (isWaiting)
        {
            isWoken = false;
        }
        recorder.endPoll(delivered);
        callbacks.rethrow();
        return delivered;
    }

    /**
     * Returns true unless the poll only continues a wait: while the thread slept, its code left the caches, and a cycle
     * without work would cost more than the wait.
     */
    private boolean takeDue(final long nowNs, final long timeoutNs)
    {
        return guard.takeChanged() || !isQuiet || isWoken || timeoutNs <= 0 || nextDeadlineNs - nowNs <= 0;
    }

    private static void checkLimit(final int limit)
    {
        if (limit < 1)
        {
            throw new IllegalArgumentException("the limit of a poll is " + limit + ": it must be 1 or more");
        }
    }

    /**
     * While a response is open and delivery is not fenced, this method returns false without a wait.
     *
     * @return true if the poll runs another cycle.
     */
    private boolean continueWaiting(final long deadlineNs, final long timeoutNs)
    {
        return timeoutNs > 0 && (!reader.isOpen() || reader.isFenced()) && await(deadlineNs, false);
    }

    private int deliver(final int limit)
    {
        // A poll that only continues a wait works before it delivers.
        assert !isQuiet;
        int delivered = 0;
        if (reader.isOpen() || openNextResponse())
        {
            reader.begin(recorder.beginDelivery());
            clock.idle(false);
            do
            {
                delivered += reader.poll(limit - delivered);
            }
            while (!reader.isOpen() && delivered < limit && openNextResponse());
            final Throwable thrown = reader.takeThrown();
            if (thrown != null)
            {
                callbacks.keep(thrown);
            }
        }
        return delivered;
    }

    private void doWork(final boolean isPollingSockets)
    {
        recorder.beginCycle();
        conductor.doWork(isPollingSockets);
        assignment.doWork(conductor.partitionCount());
        if (group != null)
        {
            group.doWork();
        }
        conductor.sendToCoordinators();
    }

    private void endCycle(final long nowNs)
    {
        if (group != null)
        {
            final long tookNs = Math.max(0, nowNs - begunNs);
            group.endCycle(tookNs, nowNs, recorder.handlerNs() > tookNs / 2 ? reader.partition() : -1);
            begunNs = nowNs;
        }
    }

    public void keepAlive()
    {
        keepMemberAlive();
        poller.keepOthersAlive(clock);
    }

    @SuppressWarnings("try")    // a call is ended by what closes it, and not used before
    private void keepAliveBesideAnother()
    {
        try (PollGuard.Call call = guard.tryWork())
        {
            if (call != null)
            {
                keepMemberAlive();
            }
        }
    }

    private void keepMemberAlive()
    {
        if (group != null)
        {
            clock.update();
            conductor.keepAlive();
            group.member().extendDelivery();
        }
    }

    private boolean openNextResponse()
    {
        final BrokerFetcher fetcher = conductor.nextDelivering();
        if (fetcher == null)
        {
            return false;
        }
        reader.open(fetcher);
        return true;
    }

    /**
     * @param isAlone true if work of another consumer on the same poller does not end the wait.
     * @return false if the time has passed without work; if the clock has not advanced although the poller has waited;
     *         if another client of the poller has work; or if the thread is interrupted.
     */
    private boolean await(final long deadlineNs, final boolean isAlone)
    {
        final long nowNs = clock.nowNs();
        if (Thread.currentThread().isInterrupted())
        {
            // The next poll must not wait either, because it delivers records that arrive meanwhile.
            isQuiet = false;
            return false;
        }
        if (deadlineNs - nowNs <= 0)
        {
            return false;
        }
        updateDeadline();
        endCycle(recorder.cycleEndNs());
        final long untilNs = ClientLoop.untilEarlierNs(nextDeadlineNs, deadlineNs, recorder.waitBeginNs(nowNs));
        // A callback may have changed what a part of this cycle has read before.
        final long waitNs = guard.takeChanged() ? Math.min(untilNs, CHANGED_NS) : untilNs;
        final int ready = loop.await(waitNs, isAlone);
        final long wokenNs = clock.nowNs();
        recorder.endWait(nowNs, waitNs, wokenNs);
        begunNs = wokenNs;
        final boolean isOver = ready == Poller.OTHERS ||
            nextDeadlineNs - wokenNs > 0 && ready == 0 && deadlineNs - wokenNs <= 0;
        // Another consumer that waits on a shared poller takes its wake-up, which an acknowledgement may have caused.
        isQuiet = isOver && (group == null || !group.isAwaiting());
        return !isOver && !clock.isStopped();
    }

    private void updateDeadline()
    {
        if (!isQuiet)
        {
            final long nextNs = conductor.nextDeadlineNs(clock.nowNs() + FAR_NS);
            nextDeadlineNs = group == null ? nextNs : group.nextDeadlineNs(nextNs);
        }
    }

    /**
     * Returns the time at which a poll has work even if no byte arrives; records that cannot be delivered now do not
     * count.
     */
    private long findDeadlineNs()
    {
        if (guard.hasChanged() || conductor.isAnyDelivering() && !reader.isRefused() && !reader.isFenced())
        {
            return clock.nowNs();
        }
        updateDeadline();
        return clock.waitUntil(nextDeadlineNs);
    }

    /**
     * @return false if the condition did not hold before the timeout, a wake-up, an interrupt or the stop of the clock.
     */
    public boolean await(final BooleanSupplier condition, final long timeoutNs)
    {
        final long deadlineNs = clock.update() + timeoutNs;
        endCycle(clock.nowNs());
        // The call itself has set this flag.
        guard.takeChanged();
        boolean isMet;
        do
        {
            workWithoutDelivery();
            isMet = condition.getAsBoolean();
        }
        while (!isMet && !isWoken && !callbacks.hasThrown() && await(deadlineNs, true));
        if (!isMet)
        {
            isWoken = false;
        }
        // Records may have arrived, which the next poll must deliver before it waits.
        isQuiet = false;
        callbacks.rethrow();
        return isMet || condition.getAsBoolean();
    }

    private void workWithoutDelivery()
    {
        isQuiet = false;
        doWork(true);
        conductor.park();
        recorder.endCycle(0);
    }

    /**
     * Gives up all partitions, leaves the group, and sends the commits that wait, before the consumer is closed.
     * Neither a wake-up nor an interrupt nor an exception of the error handler ends this work.
     */
    public void finish(final long timeoutNs)
    {
        final long deadlineNs = clock.update() + timeoutNs;
        boolean isInterrupted = Thread.interrupted();
        if (group != null)
        {
            group.leave(timeoutNs);
        }
        endCycle(clock.nowNs());
        clock.beginWaits();
        while (!isFinished() && deadlineNs - clock.nowNs() > 0 && !clock.isStopped())
        {
            workWithoutDelivery();
            isInterrupted |= Thread.interrupted();
            if (!isFinished())
            {
                await(deadlineNs, true);
                isInterrupted |= Thread.interrupted();
            }
        }
        if (!isFinished())
        {
            isInterrupted |= finishLate();
            isInterrupted |= Thread.interrupted();
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
        callbacks.rethrow();
    }

    /** All partitions are given up at once, and the commits and the leave are sent without waiting for answers. */
    private boolean finishLate()
    {
        while (group != null && group.isLeaveDelayed())
        {
            group.leaveLate();
            clock.update();
            group.doWork();
        }
        conductor.sendLast();
        final long endNs = clock.update() + LAST_NS;
        boolean isInterrupted = false;
        while (!conductor.drain() && endNs - clock.nowNs() > 0 && !clock.isStopped())
        {
            // The flag would end each wait at once.
            isInterrupted |= Thread.interrupted();
            loop.await(endNs - clock.nowNs(), true);
        }
        conductor.reportLast();
        return isInterrupted;
    }

    private boolean isFinished()
    {
        return (group == null || group.isEnded()) && conductor.isCommitted();
    }

    public void wakeup()
    {
        isWoken = true;
        poller.wakeup();
    }
}
