// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientException;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.core.StandardErrorHandler;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.core.OwnershipHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RevocationHandler;

/**
 * Handles the records of one consumer on several threads: those of a key in their order, and no offset is committed
 * before all records up to it are processed. One thread runs {@link #dispatcher()}, which polls and copies each record
 * into the ring of a worker, and other threads run the {@link Worker}s. No thread is started here, and once warm
 * nothing is allocated.
 * <p>
 * Close the dispatcher before the workers: its close waits until they have processed what was dispatched, commits, and
 * leaves the group.
 */
public final class Workers
{
    /** The most records of one duty cycle of the dispatcher. */
    private static final int MAX_RECORDS = 1_000;

    /** Null for {@link #of}. */
    private final TopicConsumer consumer;
    private boolean isEndReported;
    private boolean isAgeReported;
    private RevocationHandler programHandler;
    private final WorkerRing[] rings;
    private final Worker[] workers;
    private final WorkerCounters counters;
    private final Fences fences;
    private final WorkBarrier barrier;
    private final Dispatcher dispatcher;
    private final NanoClock clock;
    private final SafeCallbacks callbacks;

    private Workers(
        final WorkerSettings settings,
        final TopicConsumer consumer,
        final Acknowledgements acknowledgements,
        final HandlerErrorPolicy policy,
        final NanoClock clock,
        final ErrorHandler errorHandler)
    {
        this.consumer = consumer;
        this.clock = clock;
        callbacks = new SafeCallbacks(errorHandler, null);
        fences = new Fences(consumer != null, clock);
        rings = new WorkerRing[settings.count()];
        for (int w = 0; w < rings.length; w++)
        {
            rings[w] = new WorkerRing(settings.ringLength());
        }
        counters = new WorkerCounters(rings);
        barrier =
            new WorkBarrier(settings, rings, counters, fences, acknowledgements, clock.nanoTime(), callbacks);
        dispatcher = new Dispatcher(settings, rings, counters, fences, barrier, clock, callbacks);
        workers = new Worker[rings.length];
        for (int w = 0; w < workers.length; w++)
        {
            workers[w] = new Worker(
                w, settings.handlers(), policy, rings[w], fences, counters, new SafeCallbacks(errorHandler, null));
        }
    }

    /**
     * Creates a consumer that is a member of a consumer group, and its workers. The error handler and the {@code
     * handlerErrorPolicy} of the context are those of the workers, too; they call the error handler on their threads.
     *
     * @param context  the settings of the consumer, whose group has {@link CommitPolicy#acknowledged}. Its revocation
     *                 handler, also one that {@code GroupMembership.revocationHandler} sets later, is called when all
     *                 dispatched records of a partition are processed, or the time for that has expired.
     * @param settings the settings of the workers.
     * @throws IllegalArgumentException if a setting is wrong.
     */
    public static Workers connect(final ConsumerContext context, final WorkerSettings settings)
    {
        settings.check();
        if (context.group() == null || !context.group().commitPolicy().isAcknowledged())
        {
            throw new IllegalArgumentException("workers need a group whose offsets they acknowledge: set " +
                "ConsumerContext.group and CommitPolicy.acknowledged");
        }
        final TopicConsumer consumer = TopicConsumer.connect(context);
        try
        {
            final Workers workers = new Workers(settings, consumer, consumer.group().acknowledgements(),
                context.handlerErrorPolicy(), context.nanoClock(), context.errorHandler());
            workers.programHandler = context.group().revocationHandler();
            consumer.group().revocationHandler(workers.new Revocation());
            return workers;
        }
        catch (final RuntimeException | Error ex)
        {
            consumer.close();
            throw ex;
        }
    }

    /**
     * Creates workers without a consumer, for offset files and replays: the program polls with {@link #handler()} and
     * calls {@link #doWork()} after each poll. A worker stops at an exception, and its {@code doWork} throws it. Errors
     * are written to the standard error stream.
     *
     * @param settings         the settings of the workers.
     * @param acknowledgements receives the offsets before which all records are processed, on the polling thread.
     * @throws IllegalArgumentException if a setting is wrong.
     */
    public static Workers of(final WorkerSettings settings, final Acknowledgements acknowledgements)
    {
        return of(settings, acknowledgements, HandlerErrorPolicy.THROW, SystemNanoClock.INSTANCE,
            new StandardErrorHandler());
    }

    static Workers of(
        final WorkerSettings settings,
        final Acknowledgements acknowledgements,
        final HandlerErrorPolicy policy,
        final NanoClock clock,
        final ErrorHandler errorHandler)
    {
        settings.check();
        return new Workers(settings, null, acknowledgements, policy, clock, errorHandler);
    }

    /**
     * The consumer, which only the thread of the dispatcher may use.
     *
     * @throws IllegalStateException if there is none, because {@link #of} has created the workers.
     */
    public TopicConsumer consumer()
    {
        if (consumer == null)
        {
            throw new IllegalStateException("these workers have no consumer: the program polls with their handler");
        }
        return consumer;
    }

    /** The number of workers. */
    public int count()
    {
        return workers.length;
    }

    /**
     * Returns a worker.
     *
     * @param index the index of the worker, from 0 to {@link #count()} - 1.
     */
    public Worker worker(final int index)
    {
        return workers[index];
    }

    /** The counters of the workers. Any thread may call this and read the counters. */
    public WorkerCounters counters()
    {
        return counters;
    }

    /**
     * Returns an agent that polls the consumer, dispatches the records and acknowledges what the workers have
     * completed. A duty cycle does not wait. When a worker has ended, a duty cycle throws once, and nothing is
     * dispatched any more, but the consumer stays in its group. The close of the agent closes the consumer.
     *
     * @throws IllegalStateException if there is no consumer, because {@link #of} has created the workers.
     */
    public Agent dispatcher()
    {
        return new Dispatching(consumer());
    }

    /** The handler that dispatches records, for a program that polls itself. */
    public ControlledRecordHandler handler()
    {
        return dispatcher;
    }

    /**
     * Acknowledges what the workers have completed, and does all other work of the dispatcher besides polls. The thread
     * that polls calls it after each poll.
     *
     * @return the amount of work that was done; 0 means idle.
     */
    public int doWork()
    {
        final int work = work(false);
        callbacks.rethrow();
        return work;
    }

    /** As {@link #doWork()}, but keeps what is to be thrown for it. */
    private int work(final boolean isUrgent)
    {
        final long nowNs = clock.nanoTime();
        if (consumer != null)
        {
            fences.deliverUntil(consumer.group().deliverUntilNs());
        }
        final int work = barrier.doWork(nowNs, isUrgent);
        final boolean isTooOld = barrier.isTooOld(nowNs);
        if (isTooOld && !isAgeReported)
        {
            callbacks.onError(new ClientException("Nothing is dispatched: the barrier has waited " +
                barrier.ageNs(nowNs) / 1_000_000 + " ms for worker " + barrier.waitsFor() + " to process a record."));
        }
        isAgeReported = isTooOld;
        dispatcher.hold(reportEnded() || isTooOld);
        return work;
    }

    /** Returns true if a worker has ended, and makes the dispatcher throw once for the first one. */
    private boolean reportEnded()
    {
        boolean hasEnded = false;
        for (final Worker worker : workers)
        {
            hasEnded |= counters.state(worker.index()) == WorkerCounters.ENDED;
            if (hasEnded && !isEndReported)
            {
                isEndReported = true;
                callbacks.keep(new ClientException("Nothing is dispatched any more: " + worker));
            }
        }
        return hasEnded;
    }

    Fences fences()
    {
        return fences;
    }

    /** Returns true if everything that was dispatched is processed and acknowledged; only for the polling thread. */
    public boolean isPassed()
    {
        return barrier.isPassed();
    }

    /** Describes the state in lines of text, for people to read; only for the polling thread. */
    public String describe()
    {
        final StringBuilder text = new StringBuilder().append(workers.length).append(" workers with rings of ")
            .append(rings[0].messages.capacity()).append(" bytes; the dispatcher: ").append(dispatcher).append("; ")
            .append(barrier);
        for (final Worker worker : workers)
        {
            text.append('\n').append(worker);
        }
        return text.append('\n').append(counters).toString();
    }

    /** Polls the consumer as an agent. */
    private final class Dispatching implements Agent
    {
        private final TopicConsumer polled;

        private Dispatching(final TopicConsumer polled)
        {
            this.polled = polled;
        }

        @Override
        public int doWork()
        {
            int work = 0;
            try
            {
                work = polled.controlledPoll(dispatcher, MAX_RECORDS);
            }
            finally
            {
                work += work(false);
            }
            callbacks.rethrow();
            return work;
        }

        @Override
        public void onClose()
        {
            try
            {
                polled.close();
            }
            finally
            {
                fences.close();
            }
            callbacks.rethrow();
        }

        @Override
        public String roleName()
        {
            return "dispatcher-" + polled.topic();
        }
    }

    /**
     * Lets a partition be revoked when everything that was dispatched of it is acknowledged. The consumer calls it in
     * polls and in its other waits, in which nothing else moves the barrier.
     */
    private final class Revocation implements OwnershipHandler
    {
        @Override
        public void programHandler(final RevocationHandler handler)
        {
            programHandler = handler;
        }

        @Override
        public boolean onRevoking(final int partition, final long nextOffset, final long remainingNs)
        {
            for (final Worker worker : workers)
            {
                if (worker.isOnThisThread())
                {
                    worker.work();
                }
            }
            work(true);
            final boolean isPassed = barrier.isPassed(partition);
            return (isPassed || remainingNs == 0) &&
                programHandler.onRevoking(partition, nextOffset, remainingNs) && isPassed;
        }

        @Override
        public void onOwnershipEnded(final int partition)
        {
            fences.end(partition);
        }
    }
}
