// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the callbacks of a {@link Member} call: they seek, pause, commit, leave, and refuse records, and try what is
 * refused to them. A seek never goes beyond the next record, so that nothing is lost by it.
 */
final class CallbackCalls
{
    private static final int RECORDS = 200;
    private static final int BATCHES = 20;
    /** What a handler answers that has taken what it was given. */
    private static final Action[] TAKEN = {Action.CONTINUE, Action.CONTINUE, Action.CONTINUE, Action.BREAK};
    private static final int EVENTS = 3;
    private static final long MIN_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_PAUSE_NS = TimeUnit.SECONDS.toNanos(20);

    private final GroupWorld world;
    private final Member member;
    private final Draw draw;
    private final boolean isOn;
    private final boolean isRefusing;
    /** When the partitions that are paused are to be resumed. */
    private final Map<Integer, Long> paused = new HashMap<>();
    private TopicConsumer consumer;

    CallbackCalls(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
        draw = new Draw(world.scenario.seed, "calls of member " + member.number);
        isOn = world.scenario.isOn(FaultKind.CALLBACK_CALLED);
        isRefusing = world.scenario.isOn(FaultKind.RECORD_REFUSED);
    }

    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        paused.clear();
    }

    private boolean isCalling(final int count)
    {
        final boolean isCalling = isOn && world.isStriking() && draw.oneIn(count);
        if (isCalling)
        {
            world.tookEffect(FaultKind.CALLBACK_CALLED);
        }
        return isCalling;
    }

    /** Calls from a handler of records, and returns what it answers. */
    Action onRecord(final int partition, final long offset)
    {
        checkNotPaused(partition);
        return isCalling(RECORDS) ? call(partition, offset) : Action.CONTINUE;
    }

    /** Calls from a handler of batches, and returns what it answers. */
    Action onBatch(final int partition, final long fromOffset)
    {
        checkNotPaused(partition);
        final boolean isRefused = isCalling(BATCHES) && isRefusing && draw.oneIn(2);
        if (isRefused)
        {
            world.ledger.onSeek(member, partition, fromOffset);
        }
        return isRefused ? Action.ABORT : draw.pick(TAKEN);
    }

    private void checkNotPaused(final int partition)
    {
        world.ledger.check(!paused.containsKey(partition), "pause",
            "no record of partition " + partition + ", which member " + member.number + " has paused");
    }

    private Action call(final int partition, final long offset)
    {
        switch (draw.below(6))
        {
            case 0:
                consumer.seek(partition, offset + 1);
                return isRefusing ? Action.ABORT : Action.CONTINUE;
            case 1:
                consumer.seek(partition, offset + 1);
                return draw.oneIn(2) ? Action.BREAK : Action.CONTINUE;
            case 2:
                consumer.seek(partition, offset);
                world.ledger.onSeek(member, partition, offset);
                return draw.oneIn(2) || !isRefusing ? Action.CONTINUE : Action.ABORT;
            case 3:
                consumer.pause(partition);
                paused.put(partition, world.clock.nowNs() + draw.logBetween(MIN_PAUSE_NS, MAX_PAUSE_NS));
                return Action.CONTINUE;
            case 4:
                member.leaveInside();
                return Action.CONTINUE;
            default:
                if (isRefusing)
                {
                    world.ledger.onSeek(member, partition, offset);
                }
                return isRefusing ? Action.ABORT : draw.pick(TAKEN);
        }
    }

    /** Calls from the revocation handler, a listener or the error handler. */
    void onEvent(final int partition)
    {
        if (!isCalling(EVENTS))
        {
            return;
        }
        switch (draw.below(4))
        {
            case 0:
                member.leaveInside();
                break;
            case 1:
                checkRefused(() -> consumer.close());
                checkRefused(() -> consumer.poll((record) -> world.ledger.check(false, "call", "no record"), 1));
                break;
            case 2:
                if (partition >= 0 && consumer.isAssigned(partition) && consumer.nextOffset(partition) >= 0)
                {
                    consumer.seek(partition, consumer.nextOffset(partition));
                    consumer.pause(partition);
                    consumer.resume(partition);
                    forget(partition);
                }
                break;
            default:
                consumer.wakeup();
                consumer.keepAlive();
        }
    }

    private void checkRefused(final Runnable call)
    {
        try
        {
            call.run();
        }
        catch (final IllegalStateException ex)
        {
            return;
        }
        world.ledger.check(false, "call", "a poll and a close to be refused to callbacks of member " + member.number);
    }

    /** Resumes what was paused for long enough. */
    void resume()
    {
        paused.entrySet().removeIf((entry) ->
        {
            final boolean isDue = !world.isStriking() || world.clock.nowNs() >= entry.getValue();
            if (isDue && consumer.isAssigned(entry.getKey()))
            {
                consumer.resume(entry.getKey());
            }
            return isDue;
        });
    }

    /** A partition is not paused when it is assigned, and not any more when it was resumed or given up. */
    void forget(final int partition)
    {
        paused.remove(partition);
    }
}
