// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientException;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.engine.OwnerThread;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordCopy;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.ViewLender;
import org.odradek.protocol.record.ViewLifetime;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Handles the records of one ring, in their order, as an agent of Agrona's runners. The first thread that calls {@link
 * #onStart()} or {@link #doWork()} owns the worker. Other threads may call only {@link #resume()} and the result of
 * {@link #completion()}.
 * <p>
 * If the handler throws an exception, {@link HandlerErrorPolicy} decides. With {@code SKIP} the record counts as
 * processed. Otherwise the worker stops at the record, until {@link #resume()} offers it again or this member loses the
 * partition. With {@code THROW} {@link #doWork()} also throws a ClientException, whose cause is the exception. An Error
 * ends the worker with every policy, and {@link #doWork()} throws it.
 */
public final class Worker implements Agent
{
    private static final int MAX_RECORDS = 100;

    private final int index;
    private final int mask;
    /** The position in the ring after the current record, or after the last one that was consumed. */
    private long position;
    private long handled;
    private long completed;
    private boolean isWorking;
    private int stoppedPartition;
    private int stoppedOwnership;
    private volatile boolean isResumed;
    private volatile ClientException failure;
    /** The position before which the application has completed all records; null without {@link #completion()}. */
    private AtomicLong acknowledged;
    private ControlledRecordHandler handler;
    private final ControlledMessageHandler reader = this::onMessage;
    private final RecordFlyweight view = new RecordFlyweight();
    private final OwnerThread owner;
    private final Function<? super Worker, ? extends ControlledRecordHandler> handlers;
    private final HandlerErrorPolicy policy;
    private final WorkerRing ring;
    private final Fences fences;
    private final WorkerCounters counters;
    private final SafeCallbacks callbacks;

    Worker(
        final int index,
        final Function<? super Worker, ? extends ControlledRecordHandler> handlers,
        final HandlerErrorPolicy policy,
        final WorkerRing ring,
        final Fences fences,
        final WorkerCounters counters,
        final SafeCallbacks callbacks)
    {
        this.index = index;
        this.handlers = handlers;
        this.policy = policy;
        this.ring = ring;
        this.fences = fences;
        this.counters = counters;
        this.callbacks = callbacks;
        mask = ring.messages.capacity() - 1;
        owner = new OwnerThread("worker " + index, "worked first");
    }

    /** Returns the index of the worker, from 0. */
    public int index()
    {
        return index;
    }

    /**
     * Returns the position in the ring after the record that the handler is processing or, outside of the handler,
     * after the last record that was processed or skipped. Only the thread of the worker may call this method.
     */
    public long position()
    {
        return position;
    }

    /**
     * Makes the application decide when a record is complete, instead of the return of the handler. The result takes
     * partition 0, ownership epoch 1, and a {@link #position()} before which all records are complete. One thread at a
     * time may use it, for example an {@code InputBarrier}.
     *
     * @throws IllegalStateException after the first record.
     */
    public Acknowledgements completion()
    {
        if (position > 0)
        {
            throw new IllegalStateException(
                "worker " + index + " has begun: take its completion before the first record");
        }
        acknowledged = acknowledged == null ? new AtomicLong() : acknowledged;
        return this::acknowledge;
    }

    private void acknowledge(final int partition, final int ownershipEpoch, final long nextPosition)
    {
        if (partition != 0 || ownershipEpoch != 1 || nextPosition < 0)
        {
            throw new IllegalArgumentException("position " + nextPosition + " of partition " + partition +
                " and epoch " + ownershipEpoch + " cannot be completed: worker " + index +
                " takes positions of partition 0 and epoch 1");
        }
        if (nextPosition > acknowledged.getPlain())
        {
            acknowledged.setRelease(nextPosition);
        }
    }

    /** Offers the record at which the worker has stopped to the handler again. Any thread may call this method. */
    public void resume()
    {
        isResumed = true;
    }

    @Override
    public void onStart()
    {
        prepare();
    }

    private void prepare()
    {
        owner.check();
        owner.take();
        if (handler == null)
        {
            final ControlledRecordHandler made =
                Objects.requireNonNull(handlers.apply(this), "the handler of a worker");
            handler = ViewLifetime.IS_CHECKED ? lending(made) : made;
        }
    }

    private static ControlledRecordHandler lending(final ControlledRecordHandler handler)
    {
        final ViewLender lender = new ViewLender();
        return (record) ->
        {
            final Record lent = lender.lend(record);
            try
            {
                return handler.onRecord(lent);
            }
            finally
            {
                lender.takeBack();
            }
        };
    }

    /**
     * Handles records that have been dispatched, and does not wait for further ones.
     *
     * @return the amount of work that was done; 0 means idle.
     */
    @Override
    public int doWork()
    {
        prepare();
        final int work = work();
        callbacks.rethrow();
        return work;
    }

    int work()
    {
        if (handler == null || isWorking)
        {
            return 0;
        }
        int work = 0;
        isWorking = true;
        try
        {
            if (begin())
            {
                work = ring.messages.controlledRead(reader, MAX_RECORDS);
                // The ring has passed padding, which is no record.
                position = ring.messages.consumerPosition();
            }
            work += complete();
        }
        finally
        {
            isWorking = false;
        }
        assert isConsistent();
        return work;
    }

    /** Returns true if the worker works, or if its stop ends now. */
    private boolean begin()
    {
        if (counters.state(index) == WorkerCounters.STOPPED &&
            (isResumed || fences.isEnded(stoppedPartition, stoppedOwnership)))
        {
            failure = null;
            counters.state(index, WorkerCounters.WORKING);
        }
        return counters.state(index) == WorkerCounters.WORKING;
    }

    private ControlledMessageHandler.Action onMessage(
        final int ownership, final DirectBuffer buffer, final int messageIndex, final int length)
    {
        final long start = position;
        final int recordIndex = messageIndex - RecordDescriptor.HEADER_LENGTH;
        final Record record = RecordCopy.wrap(view, ring.memory, messageIndex, length);
        final boolean isSkipped = fences.isEnded(record.partition(), ownership);
        if (!isSkipped && fences.isPast())
        {
            return ControlledMessageHandler.Action.ABORT;
        }
        // There may be padding before the message.
        position = start + (recordIndex - (int)start & mask) +
            BitUtil.align(length + RecordDescriptor.HEADER_LENGTH, RecordDescriptor.ALIGNMENT);
        if (!isSkipped)
        {
            return handle(record, ownership, start);
        }
        counters.add(index, WorkerCounters.RECORDS_SKIPPED, 1);
        complete();
        return ControlledMessageHandler.Action.COMMIT;
    }

    private ControlledMessageHandler.Action handle(final Record record, final int ownership, final long start)
    {
        final Action action;
        try
        {
            action = handler.onRecord(record);
        }
        catch (final Throwable ex)
        {
            return onFailed(record, ownership, start, ex);
        }
        if (action == Action.ABORT)
        {
            position = start;
            return ControlledMessageHandler.Action.ABORT;
        }
        handled = position;
        counters.add(index, WorkerCounters.RECORDS, 1);
        complete();
        return action == Action.BREAK ? ControlledMessageHandler.Action.BREAK : ControlledMessageHandler.Action.COMMIT;
    }

    private ControlledMessageHandler.Action onFailed(
        final Record record, final int ownership, final long start, final Throwable thrown)
    {
        if (thrown instanceof AgentTerminationException)
        {
            position = start;
            callbacks.keep(thrown);
            return ControlledMessageHandler.Action.ABORT;
        }
        final boolean isError = thrown instanceof Error;
        final boolean isSkipped = !isError && policy == HandlerErrorPolicy.SKIP;
        final ClientException report = new ClientException("The handler of worker " + index +
            " failed on the record at offset " + record.offset() + " of partition " + record.partition() +
            (isSkipped ? ", which counts as processed." : isError ? ", and the worker has ended." :
            ", at which the worker stops; Worker.resume offers it again."), thrown);
        counters.add(index, WorkerCounters.HANDLER_ERRORS, 1);
        if (!isSkipped)
        {
            position = start;
            stoppedPartition = record.partition();
            stoppedOwnership = ownership;
            isResumed = false;
            stop(isError ? WorkerCounters.ENDED : WorkerCounters.STOPPED, report);
        }
        callbacks.onError(report);
        if (isError || policy == HandlerErrorPolicy.THROW)
        {
            callbacks.keep(isError ? thrown : report);
        }
        return isSkipped ? ControlledMessageHandler.Action.COMMIT : ControlledMessageHandler.Action.ABORT;
    }

    private void stop(final int state, final ClientException reason)
    {
        failure = reason;
        counters.state(index, state);
    }

    private int complete()
    {
        final long done = acknowledged == null ? handled : acknowledged.getAcquire();
        final long next = Math.max(completed, done >= handled ? position : done);
        if (next == completed)
        {
            return 0;
        }
        completed = next;
        counters.completed(index, next);
        return 1;
    }

    /** Returns why the worker has stopped or ended; null while it works. */
    ClientException failure()
    {
        return failure;
    }

    boolean isOnThisThread()
    {
        return owner.isCurrent();
    }

    /** Ends the worker. Close the dispatcher first. */
    @Override
    public void onClose()
    {
        if (fences.isClosed() || counters.state(index) == WorkerCounters.ENDED)
        {
            return;
        }
        final boolean isDone = counters.completed(index) == ring.messages.producerPosition();
        final ClientException report = new ClientException("Worker " + index + " was closed before the dispatcher; " +
            "nothing is dispatched any more, and " +
            (ring.messages.producerPosition() - counters.completed(index)) +
            " bytes of records in its ring are not processed.");
        stop(WorkerCounters.ENDED, report);
        if (fences.isMember() || !isDone)
        {
            callbacks.onError(report);
        }
        callbacks.rethrow();
    }

    @Override
    public String roleName()
    {
        return "worker-" + index;
    }

    private boolean isConsistent()
    {
        return handled <= position && completed <= position && position == ring.messages.consumerPosition();
    }

    @Override
    public String toString()
    {
        final ClientException reason = failure;
        return "worker " + index + ": " + (reason == null ? "works." : reason.getMessage()) + " It has completed " +
            counters.completed(index) + " of " + ring.messages.producerPosition() +
            " bytes that its ring has received.";
    }
}
