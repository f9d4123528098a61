// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.client.ClientException;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.harness.model.ModelRequest;

import java.util.concurrent.TimeUnit;

/** A member of the group of a {@link GroupWorld}, through all consumers that it opens one after another. */
final class Member
{
    private static final long NEVER = Long.MIN_VALUE;
    private static final int RECORD_LIMIT = 200;
    static final long LATENCY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_ABSENCE_NS = TimeUnit.SECONDS.toNanos(30);
    /** If batches make a reconnect last longer than so many intervals, the session may expire meanwhile. */
    private static final long MAX_RECONNECT_INTERVALS = 4;

    final int number;
    SimulatedPoller poller;
    private final GroupWorld world;
    private final SimulatedClock clock;
    /** The time on the member's thread. */
    private final MemberClock time;
    private final Pace pace;
    private final MemberHandler handler;
    private final MemberListener listener;
    private final Opening opening;
    private final Closing closing;
    private final MemberQueries queries;
    private final Guest guest;
    final MemberRules rules;
    private final Draw draw;
    final boolean isExplicit;
    /** Null for a dynamic member. */
    final String instanceId;
    final boolean isStatic;
    /** Whether it takes the instance id of another member now and then, and nothing else. */
    private final boolean isTwin;
    final boolean isSlowToRevoke;
    final int commitIntervalMs;
    private TopicConsumer consumer;
    Membership membership;
    long openedNs;
    long endedNs = NEVER;
    private long absentUntilNs;
    private long stalledUntilNs;
    private long cutUntilNs;
    private boolean isInPoll;
    private final WaitRate waits = new WaitRate();
    private long waitUntilNs;
    private boolean isLeaving;
    /** Whether the consumer is closed without any time to leave. */
    boolean isClosedLate;
    /** Whether what it sent last has not arrived before the end of the close. */
    boolean isLeaveLost;
    /** Whether the consumer is being closed. */
    boolean isClosing;
    private boolean isClosedByOther;
    private boolean isCloseDue;
    private boolean isInterrupted;
    /** When the member last could not send heartbeats, or could not learn of the answers. */
    long disturbedNs;
    /** When the member was last told to give up partitions, by its user or by another assignment. */
    long givingUpNs;

    /** @param twin whose instance id it takes, or null for none. */
    Member(final GroupWorld world, final int number, final Member twin)
    {
        this.world = world;
        this.number = number;
        clock = world.clock;
        time = new MemberClock(clock);
        pace = new Pace(world, number);
        listener = new MemberListener(world, this);
        opening = new Opening(world, this, time, listener);
        closing = new Closing(world, this);
        queries = new MemberQueries(world, number);
        guest = new Guest(world, number);
        draw = new Draw(world.scenario.seed, "member " + number);
        handler = new MemberHandler(world, this, time, pace, draw);
        rules = new MemberRules(world, this);
        isExplicit = (draw.oneIn(3) | handler.isPassingOn()) & !handler.isAcknowledging();
        final String ownId = draw.oneIn(3) ? "instance-" + number : null;
        isTwin = twin != null;
        instanceId = isTwin ? twin.instanceId : ownId;
        isStatic = instanceId != null;
        isSlowToRevoke = draw.oneIn(3);
        commitIntervalMs = (int)draw.logBetween(100, 10_000);
        poller = new SimulatedPoller(world);
        absentUntilNs = draw.logBetween(1, MAX_ABSENCE_NS);
    }

    private void open()
    {
        poller = new SimulatedPoller(world);
        membership = new Membership(world, this);
        consumer = opening.open(poller, handler);
        if (consumer == null)
        {
            // No name could be looked up.
            absentUntilNs = clock.nowNs() + LATENCY_NS;
            return;
        }
        isLeaving = false;
        isLeaveLost = false;
        openedNs = clock.nowNs();
        time.reset();
        disturbedNs = NEVER;
        givingUpNs = openedNs;
        handler.onOpen(consumer);
        queries.onOpen(consumer);
        isInterrupted = false;
        if (isTwin)
        {
            absentUntilNs = Long.MAX_VALUE;
            world.tookEffect(FaultKind.INSTANCE_TAKEN);
        }
    }

    /** Lets a fault take effect; returns false if it cannot now. */
    boolean act(final FaultKind kind, final long durationNs)
    {
        // Two closes would delay each other, because all members run on this thread.
        if (consumer == null || isLeaving || isInPoll && kind != FaultKind.THREAD_INTERRUPTED &&
            (kind != FaultKind.CLOSED_BY_OTHER || world.instances.isAnyClosing()))
        {
            return false;
        }
        switch (kind)
        {
            case USER_STALLED:
                if (draw.oneIn(2))
                {
                    handler.arm(durationNs);
                }
                else
                {
                    stalledUntilNs = clock.nowNs() + durationNs;
                }
                return true;
            case CONSUMER_REOPENED:
            case MEMBER_CLOSED:
                if (time.aheadNs() > 0 || kind == FaultKind.MEMBER_CLOSED && world.isPassing())
                {
                    return false;
                }
                absentUntilNs = clock.nowNs() + durationNs;
                leave(kind == FaultKind.MEMBER_CLOSED);
                return true;
            case THREAD_INTERRUPTED:
                isInterrupted = true;
                poller.interrupt();
                return true;
            case CLOSED_BY_OTHER:
                absentUntilNs = clock.nowNs() + durationNs;
                closeByOther();
                return true;
            case MEMBER_KILLED:
                kill();
                absentUntilNs = clock.nowNs() + durationNs;
                return true;
            case MEMBER_CUT_OFF:
                cutUntilNs = clock.nowNs() + durationNs;
                return true;
            default:
                throw new IllegalArgumentException(kind.toString());
        }
    }

    private void kill()
    {
        poller.close();
        guest.forget();
        onEnded();
    }

    /** Leaves the group, by a close or in the polls that follow. */
    void leave(final boolean isClosing)
    {
        isLeaving = true;
        givingUpNs = clock.nowNs();
        absentUntilNs = world.isCalm() ? Long.MAX_VALUE : absentUntilNs;
        if (isClosing)
        {
            close();
        }
        else
        {
            consumer.group().leave();
        }
    }

    /**
     * Has another thread close the consumer if it is in a poll, or else the next step if that is due.
     *
     * @return whether the consumer is closed, or will be.
     */
    boolean closeByOther(final boolean isDue)
    {
        if (consumer != null && !isLeaving && isInPoll)
        {
            absentUntilNs = Long.MAX_VALUE;
            closeByOther();
        }
        isCloseDue = isDue && consumer != null && !isLeaving;
        return isCloseDue || consumer == null || isLeaving;
    }

    /** A poll that runs leaves the group at its end; between polls another thread cannot leave it. */
    private void closeByOther()
    {
        handler.arm(0);
        isLeaving = true;
        givingUpNs = clock.nowNs();
        isClosing = isInPoll;
        isClosedByOther = true;
        OtherThread.close(consumer);
        if (!isInPoll)
        {
            kill();
        }
    }

    /** Leaves the group from a callback, in the polls that follow. */
    void leaveInside()
    {
        if (!isLeaving)
        {
            isLeaving = true;
            givingUpNs = clock.nowNs();
            absentUntilNs = clock.nowNs() + LATENCY_NS;
            consumer.group().leave();
        }
    }

    MemberHandler handler()
    {
        return handler;
    }

    /** Whether another thread has closed the consumer while it is in a poll. */
    boolean isClosedByOther()
    {
        return isClosedByOther;
    }

    boolean isAbsent()
    {
        return consumer == null;
    }

    private void onEnded()
    {
        world.ledger.onEnded(this);
        endedNs = clock.nowNs();
        consumer = null;
        if (handler.workers() != null)
        {
            handler.workers().onEnded();
        }
        isClosing = false;
        isClosedByOther = false;
        isCloseDue = false;
    }

    /** Ends the faults that last. */
    void repair()
    {
        final long nowNs = clock.nowNs();
        absentUntilNs = isTwin ? Long.MAX_VALUE : Math.min(absentUntilNs, nowNs);
        if (isTwin && consumer != null)
        {
            kill();
        }
        stalledUntilNs = Math.min(stalledUntilNs, nowNs);
        cutUntilNs = Math.min(cutUntilNs, nowNs);
        handler.arm(0);
    }

    /** Polls once, unless it is absent or stalled. */
    void step()
    {
        if (handler.workers() != null)
        {
            handler.workers().step();
        }
        if (isInPoll)
        {
            handler.keepAlive();
            onLate();
            return;
        }
        if (time.aheadNs() > 0)
        {
            return;
        }
        if (clock.nowNs() < stalledUntilNs)
        {
            onDisturbed();
            return;
        }
        if (consumer == null)
        {
            if (clock.nowNs() >= absentUntilNs)
            {
                open();
            }
            return;
        }
        if (clock.nowNs() < cutUntilNs)
        {
            onDisturbed();
            poller.loseAll();
        }
        if (isCloseDue)
        {
            leave(true);
            return;
        }
        if (handler.workers() != null && handler.workers().hasEnded() && !isLeaving && !world.isPassing())
        {
            absentUntilNs = clock.nowNs() + LATENCY_NS;
            leave(true);
            return;
        }
        final boolean wasInterrupted = poll();
        if (isClosedByOther)
        {
            final boolean isHealthy = world.isCalm();
            closing.checkFreed(poller);
            closing.checkLeft(consumer, isHealthy, isHealthy);
            guest.close();
            onEnded();
        }
        else if ((isEnded() || wasInterrupted && draw.oneIn(2)) && !world.isPassing())
        {
            close();
        }
        else if (time.aheadNs() == 0)
        {
            guest.step(poller);
        }
    }

    Guest guest()
    {
        return guest;
    }

    /** Polls, and returns whether the thread was interrupted before or meanwhile. */
    private boolean poll()
    {
        handler.calls().resume();
        queries.step();
        isInPoll = true;
        final boolean wasInterrupted = isInterrupted;
        isInterrupted = false;
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
        try
        {
            // Members that are polled while another one waits do not wait, too.
            if (!world.isWaiting() && guest.isWaitDue())
            {
                consumer.group().awaitStable(pace.timeoutNs());
            }
            else
            {
                handler.poll((int)draw.logBetween(1, RECORD_LIMIT), world.isWaiting() ? 0 : pace.timeoutNs());
            }
        }
        catch (final PlantedException | PlantedError ex)
        {
            note("threw", number, 0);
        }
        catch (final ClientException ex)
        {
            // Once, when a worker has ended.
            world.ledger.check(handler.workers() != null && handler.workers().hasEnded(), "exception",
                "no exception of a poll of member " + number + ", but " + ex.getMessage());
        }
        final boolean isInterruptedNow = Thread.interrupted();
        world.ledger.check(isInterruptedNow || !wasInterrupted, "interrupt",
            "the thread of member " + number + " to be interrupted after the poll, as before");
        isInPoll = false;
        return isInterruptedNow;
    }

    /** A wait has ended: if waits end at once again and again, the thread works instead of waiting. */
    void onAwait()
    {
        world.ledger.check(waits.isAllowed(clock.nowNs()), "wake-ups", "at most " + WaitRate.MAX_PER_SECOND +
            " waits per second of member " + number + ", but there were more");
    }

    private boolean isEnded()
    {
        return consumer.group().state() == GroupState.LEFT || consumer.group().state() == GroupState.FAILED;
    }

    /** The member can send no heartbeats until a time, or learns of no answers. */
    void disturbed(final long untilNs)
    {
        disturbedNs = untilNs;
    }

    void onDisturbed()
    {
        disturbedNs = Math.max(disturbedNs, clock.nowNs());
    }

    /** The member waits in a poll until a time, unless others keep it from going on then. */
    void waitUntil(final long untilNs)
    {
        waitUntilNs = untilNs;
    }

    private void onLate()
    {
        if (!handler.isKeptAlive() && clock.nowNs() - waitUntilNs > LATENCY_NS)
        {
            onDisturbed();
        }
    }

    /** A connection has ended. */
    void onDisconnected()
    {
        onSetBack();
        membership.onDisconnected();
    }

    /** A connection has ended or a request was refused: what then has to be done is done between batches. */
    void onSetBack()
    {
        if (isSlowToReconnect())
        {
            onDisturbed();
        }
    }

    /** Whether the session may expire while the member reconnects, or authenticates again. */
    boolean isSlowToReconnect()
    {
        return pace.reconnectNs() >= TimeUnit.MILLISECONDS.toNanos(MAX_RECONNECT_INTERVALS * world.intervalMs);
    }

    Pace pace()
    {
        return pace;
    }

    /** Draws how the member behaves in a round. */
    void draw(final boolean isSlow)
    {
        pace.draw(isSlow);
        listener.draw();
        absentUntilNs = isTwin ? clock.nowNs() + draw.logBetween(1, MAX_ABSENCE_NS) : absentUntilNs;
    }

    /** How long the member works on until it polls again. */
    long aheadNs()
    {
        return time.aheadNs();
    }

    /** Returns the time since the coordinator has accepted a heartbeat. */
    long acceptedAgeNs()
    {
        return clock.nowNs() - membership.acceptedNs();
    }

    /** Returns the time of the member's thread since the coordinator has accepted a heartbeat. */
    long unconfirmedNs()
    {
        return time.nowNs() - membership.acceptedOnThreadNs();
    }

    /** The answer to the last request has not come, or cannot be read. */
    void onUnread()
    {
        membership.onUnread();
    }

    /** The coordinator, or another broker, has served a request. */
    void onAnswer(final ModelRequest request, final ApiMessage response)
    {
        membership.onAnswer(request, response);
    }

    /** Whether the coordinator may accept heartbeats without knowing the member. */
    boolean isConfirmedBlindly()
    {
        return membership.isConfirmedBlindly();
    }

    void onGivingUp()
    {
        givingUpNs = isLeaving ? givingUpNs : clock.nowNs();
    }

    boolean isStable()
    {
        return consumer != null && !isLeaving && !isInPoll && consumer.group().state() == GroupState.STABLE &&
            queries.isAnswered();
    }

    long rebalances()
    {
        return consumer.counters().get(ConsumerCounters.REBALANCES);
    }

    long heartbeats()
    {
        return consumer.counters().get(ConsumerCounters.HEARTBEATS);
    }

    /** Closes the consumer for good. */
    void end()
    {
        absentUntilNs = Long.MAX_VALUE;
        close();
    }

    /** Closes the consumer, which leaves the group if it has not yet. */
    private void close()
    {
        if (consumer != null)
        {
            world.enter(this);
            final boolean isHealthy = world.isCalm() && !isEnded();
            final boolean mustLeave = world.isCalm() || isEnded();
            givingUpNs = isLeaving ? givingUpNs : clock.nowNs();
            isLeaving = true;
            // A handler that takes long delays the close as long.
            handler.arm(0);
            isInPoll = true;
            isClosing = true;
            closing.close(consumer, poller, isHealthy);
            isInPoll = false;
            closing.checkLeft(consumer, isHealthy, mustLeave);
            guest.close();
            onEnded();
        }
    }

    void note(final String what, final int partition, final long offset)
    {
        world.trace.event(what, number * 1_000 + partition, offset);
    }

    @Override
    public String toString()
    {
        return "member " + number + (consumer == null ? " is absent" : ": " + consumer.group() +
            ", last heartbeat accepted " + TimeUnit.NANOSECONDS.toMillis(acceptedAgeNs()) + " ms ago" +
            (disturbedNs > membership.acceptedNs() ? ", disturbed" : "") + queries);
    }
}
