// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;
import org.odradek.workers.Worker;
import org.odradek.workers.WorkerCounters;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The workers of a member that has any, each on a thread of its own: they go on while the member waits or is in a
 * handler. They are stepped in a drawn order; while faults occur they stall, refuse records, and throw exceptions,
 * after which they are resumed, and Errors, after which the member is closed. Offsets stand for keys.
 */
final class MemberWorkers
{
    /** Records whose offsets have the same remainder have the same key. */
    static final int KEYS = 5;
    private static final int MAX_WORKERS = 3;
    private static final int MIN_RING_LENGTH = 4 * 1024;
    private static final int MAX_RING_SHIFT = 6;
    private static final int MAX_INTERVAL_MS = 200;
    private static final int MIN_AGE_MS = 1_000;
    private static final int MAX_AGE_MS = 10_000;
    private static final int STALLS = 100;
    private static final int FAILURES = 100;
    private static final int ERRORS = 600;
    private static final int SEEKS = 50;
    private static final long MAX_STALL_NS = TimeUnit.SECONDS.toNanos(30);

    private final GroupWorld world;
    private final Member member;
    private final Draw draw;
    private final int count;
    private final int intervalMs;
    private final int ageMs;
    private final int ringLength;
    private final boolean isThrowing;
    /** Until when each worker stalls, or stays stopped. */
    private final long[] untilNs;
    private Workers workers;
    private TopicConsumer consumer;
    private HandlerErrorPolicy policy;
    /** The partition of the record for which the router has thrown, or -1. */
    private int refusedPartition = -1;
    private long refusedOffset;

    MemberWorkers(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
        draw = new Draw(world.scenario.seed, "workers of member " + member.number);
        count = 1 + draw.below(MAX_WORKERS);
        intervalMs = (int)draw.logBetween(1, MAX_INTERVAL_MS);
        ageMs = (int)draw.logBetween(MIN_AGE_MS, MAX_AGE_MS);
        ringLength = MIN_RING_LENGTH << draw.below(MAX_RING_SHIFT);
        isThrowing = world.scenario.isOn(FaultKind.CALLBACK_THREW);
        untilNs = new long[count];
    }

    TopicConsumer open(final ConsumerContext context)
    {
        policy = context.handlerErrorPolicy();
        workers = Workers.connect(context, new WorkerSettings(count, this::handler)
            .router(this::route).skipTooLarge(true)
            .ringLength(ringLength).barrierIntervalMs(intervalMs).barrierMaxAgeMs(ageMs));
        consumer = workers.consumer();
        Arrays.fill(untilNs, world.clock.nowNs());
        return consumer;
    }

    private int route(final Record record, final int size)
    {
        if (isDrawn(FAILURES) && isThrowing)
        {
            refusedPartition = record.partition();
            refusedOffset = record.offset();
            throw new PlantedException("router");
        }
        return (int)(record.offset() % KEYS) % size;
    }

    private ControlledRecordHandler handler(final Worker worker)
    {
        return (record) ->
        {
            if (isDrawn(ERRORS) && isThrowing)
            {
                world.tookEffect(FaultKind.CALLBACK_THREW);
                throw new PlantedError("worker");
            }
            if (isDrawn(FAILURES) && isThrowing)
            {
                world.tookEffect(FaultKind.CALLBACK_THREW);
                stall(worker.index());
                if (policy == HandlerErrorPolicy.SKIP)
                {
                    world.ledger.onWorked(member, record.partition(), record.offset());
                }
                throw new PlantedException("worker");
            }
            if (isDrawn(STALLS))
            {
                stall(worker.index());
                return Action.ABORT;
            }
            world.ledger.onWorked(member, record.partition(), record.offset());
            return isDrawn(STALLS) ? Action.BREAK : Action.CONTINUE;
        };
    }

    private boolean isDrawn(final int oneIn)
    {
        return world.isStriking() && draw.oneIn(oneIn);
    }

    private void stall(final int worker)
    {
        untilNs[worker] = world.clock.nowNs() + draw.logBetween(1, MAX_STALL_NS);
    }

    /** Dispatches a record, and seeks now and then: a seek begins an epoch, and what was dispatched stays. */
    Action dispatch(final Record record)
    {
        final Action action = workers.handler().onRecord(record);
        if (action != Action.ABORT && isDrawn(SEEKS))
        {
            consumer.seek(record.partition(), record.offset() + 1);
        }
        return action;
    }

    /** Does the work of the dispatcher after a poll, and seeks to a record that the router has refused. */
    void work()
    {
        if (refusedPartition >= 0 && consumer.isAssigned(refusedPartition) &&
            consumer.nextOffset(refusedPartition) == refusedOffset)
        {
            consumer.seek(refusedPartition, refusedOffset);
        }
        refusedPartition = -1;
        workers.doWork();
    }

    /** Steps all workers, in a drawn order, unless they stall. */
    void step()
    {
        final int first = draw.below(count);
        for (int i = 0; i < count && workers != null; i++)
        {
            final int index = (first + i) % count;
            if (world.clock.nowNs() >= untilNs[index] || !world.isStriking())
            {
                step(workers.worker(index));
            }
        }
    }

    private void step(final Worker worker)
    {
        worker.resume();
        try
        {
            worker.doWork();
        }
        catch (final RuntimeException | PlantedError ex)
        {
            world.trace.text("worker " + worker.index() + " of member " + member.number + " threw " + ex.getMessage());
        }
    }

    /** Whether a worker has ended, so that the member must be closed. */
    boolean hasEnded()
    {
        boolean hasEnded = false;
        for (int w = 0; w < count && workers != null; w++)
        {
            hasEnded |= workers.counters().get(w, WorkerCounters.STATE) > 1;
        }
        return hasEnded;
    }

    void onEnded()
    {
        workers = null;
    }
}
