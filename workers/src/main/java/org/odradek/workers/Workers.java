// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientException;
import org.odradek.client.core.CountersFile;
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
 * into the ring of a worker, and other threads run the {@link Worker}s.
 * <p>
 * Close this object, or the dispatcher, before each {@link Worker}, because this close waits for the workers.
 */
public final class Workers implements AutoCloseable
{
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
    private final Agent agent = new Dispatching();
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
     * Creates a consumer that is a member of a consumer group, and its workers. The workers also use the error handler
     * and the {@code handlerErrorPolicy} of the context, on their threads.
     *
     * @param context  the settings of the consumer, whose group has {@link CommitPolicy#acknowledged}. Its revocation
     *                 handler is called when all dispatched records of a partition are processed, or the time for this
     *                 has expired.
     * @param settings the worker settings.
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
     * Creates workers without a consumer: the program polls with {@link #handler()} and calls {@link #doWork()} after
     * each poll. A worker stops at an exception of its handler, which {@link Worker#doWork()} throws, too. Errors are
     * written to the standard error stream.
     *
     * @param settings         the worker settings.
     * @param acknowledgements the object that receives the offsets before which all records are processed, on the
     *                         polling thread.
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
     * Returns the consumer, which only the thread of the dispatcher may use.
     *
     * @throws IllegalStateException if {@link #of} has created the workers.
     */
    public TopicConsumer consumer()
    {
        if (consumer == null)
        {
            throw new IllegalStateException("these workers have no consumer: the program polls with their handler");
        }
        return consumer;
    }

    /** Returns the number of workers. */
    public int count()
    {
        return workers.length;
    }

    /**
     * Returns a worker.
     *
     * @param index the index, from 0 to {@link #count()} - 1.
     */
    public Worker worker(final int index)
    {
        return workers[index];
    }

    /** Returns the counters of the workers. */
    public WorkerCounters counters()
    {
        return counters;
    }

    /**
     * Returns the agent that polls the consumer, dispatches the records and acknowledges what the workers have
     * completed. Each call returns the same agent. After a worker has ended, one duty cycle throws a ClientException,
     * and nothing is dispatched any more. The close of the agent calls {@link #close()}.
     *
     * @throws IllegalStateException if {@link #of} has created the workers.
     */
    public Agent dispatcher()
    {
        consumer();
        return agent;
    }

    /** Returns the handler that dispatches records, for a program that polls itself. */
    public ControlledRecordHandler handler()
    {
        return dispatcher;
    }

    /**
     * Acknowledges what the workers have completed. The polling thread calls this method after each poll.
     *
     * @return the amount of work that was done; 0 means idle.
     */
    public int doWork()
    {
        final int work = work(false);
        callbacks.rethrow();
        return work;
    }

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
                barrier.ageNs(nowNs) / 1_000_000 + " ms for worker " + barrier.waitsFor() + ", which has " +
                rings[barrier.waitsFor()].messages.size() + " bytes of records to process."));
        }
        isAgeReported = isTooOld;
        dispatcher.hold(reportEnded() || isTooOld);
        if (!isUrgent)
        {
            dispatcher.endPoll();
        }
        return work;
    }

    private boolean reportEnded()
    {
        boolean hasEnded = false;
        for (final Worker worker : workers)
        {
            hasEnded |= counters.state(worker.index()) == WorkerCounters.ENDED;
            if (hasEnded && !isEndReported)
            {
                isEndReported = true;
                callbacks.keep(new ClientException("Nothing is dispatched any more: " + worker, worker.failure()));
            }
        }
        return hasEnded;
    }

    Fences fences()
    {
        return fences;
    }

    /**
     * Returns true if no dispatched record waits for a worker or for its acknowledgement. Only the polling thread may
     * call this method.
     */
    public boolean isPassed()
    {
        return barrier.isPassed();
    }

    /** Describes the state in lines of text, for people to read. Only the polling thread may call this method. */
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

    /**
     * Closes the consumer if there is one, as {@link TopicConsumer#close()} does: it waits until the workers have
     * processed the dispatched records, commits, and leaves the group. Then the workers skip the records that they have
     * not begun. A later call has no effect.
     * <p>
     * Only the polling thread may make the first call, or any thread before the first poll, for example because no
     * agent could be started.
     *
     * @throws RuntimeException      if the error handler has thrown this exception during the close; everything is
     *                               closed then.
     * @throws IllegalStateException if a callback of the consumer calls this method; nothing is closed then.
     */
    @Override
    public void close()
    {
        if (consumer == null)
        {
            fences.close();
        }
        else
        {
            consumer.close();
        }
        callbacks.rethrow();
    }

    private final class Dispatching implements Agent
    {
        @Override
        public int doWork()
        {
            int work = 0;
            try
            {
                work = consumer.controlledPoll(dispatcher, MAX_RECORDS);
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
            close();
        }

        @Override
        public String roleName()
        {
            return "dispatcher-" + consumer.topic();
        }
    }

    /** Delays the revocation of a partition until the records that were dispatched of it are processed. */
    private final class Revocation implements OwnershipHandler
    {
        @Override
        public void programHandler(final RevocationHandler handler)
        {
            programHandler = handler;
        }

        @Override
        public void countersFile(final CountersFile file)
        {
            if (!counters.moveTo(file))
            {
                callbacks.onError(new ClientException("The counters file has no room for the counters of " +
                    workers.length + " workers; the workers count, but the file does not show it."));
            }
        }

        @Override
        public boolean onRevoking(final int partition, final long nextOffset, final long remainingNs)
        {
            for (final Worker worker : workers)
            {
                if (worker.isOnThisThread() && remainingNs > 0)
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

        @Override
        public void onClosed()
        {
            fences.close();
        }
    }
}
