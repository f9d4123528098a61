// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Members that leave a healthy cluster and come back: partitions move, and each move must be done in time. */
final class Moves
{
    private static final int MAX_MOVES = 3;
    /** How often it is tried to close a member while it is in a poll. */
    private static final int MAX_TRIES = 100;
    /** To each lost broker, with a timeout that grows. */
    private static final long CONNECTS = 4;
    private static final long MIN_CLOSE_NS = 1_000;
    private static final long MAX_CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** A member without records by then has no handler that takes long. */
    private static final long BEGIN_NS = TimeUnit.SECONDS.toNanos(5);
    /** Requests that follow one another, on the slowest network that is drawn. */
    private static final long REQUESTS_NS = TimeUnit.SECONDS.toNanos(20);

    private final GroupWorld world;
    private final Member[] members;
    private final Draw draw;
    private final Draw ofTakenBack;
    /** Whether the handler that takes long has begun. */
    private boolean isBegun;
    /** Whether the member that has left meanwhile may come back. */
    private boolean isBack;

    Moves(final GroupWorld world, final Member[] members)
    {
        this.world = world;
        this.members = members;
        draw = new Draw(world.scenario.seed, "moves");
        ofTakenBack = new Draw(world.scenario.seed, "moves that are taken back");
    }

    /** Has one or more members leave and come back, one after another. */
    void run()
    {
        for (int i = 1 + draw.below(MAX_MOVES); i > 0; i--)
        {
            final Member member = members[draw.below(members.length)];
            stepUntil("member " + member.number + " to be done with its batch", () -> member.aheadNs() == 0);
            if (draw.oneIn(3) && world.scenario.isOn(FaultKind.CLOSED_BY_OTHER))
            {
                closeByOther(member, MAX_TRIES);
            }
            else
            {
                member.leave(draw.oneIn(2));
            }
            stepUntil("member " + member.number + " to leave", member::isAbsent);
            // Without the leave of a late close, the coordinator removes the member when its session expires.
            final long sessionNs = member.isLeaveLost ? TimeUnit.MILLISECONDS.toNanos(world.sessionMs) : 0;
            // The partitions of a static member wait for it.
            if (!member.isStatic)
            {
                stepUntil("the other members to be stable", boundNs() + sessionNs, world::isStable);
            }
            member.repair();
            stepUntil("member " + member.number + " to join", () -> !member.isAbsent());
            // The instance id of a static member is held until its session expires.
            stepUntil("all members to be stable", boundNs() + (member.isStatic ? sessionNs : 0), world::isStable);
        }
        final int first = ofTakenBack.below(members.length);
        if (!world.isClassic && !members[first].isStatic)
        {
            takeBack(members[first], members[(first + 1) % members.length]);
        }
    }

    /**
     * A member leaves and comes back while a handler of another one takes long, and keeps that alive: what it is
     * assigned is taken back before it takes it.
     */
    private void takeBack(final Member member, final Member other)
    {
        final long absentNs = TimeUnit.MILLISECONDS.toNanos(GroupWorld.ASSIGNMENT_INTERVAL_MS + world.intervalMs) +
            Member.LATENCY_NS;
        isBack = true;
        isBegun = false;
        other.handler().armWithKeepAlive(2 * absentNs + Member.LATENCY_NS, () -> beginAbsence(member, absentNs));
        world.clock.after(BEGIN_NS, () -> isBegun = true);
        stepUntil("member " + other.number + " to begin a batch", () -> isBegun);
        other.handler().arm(0);
        stepUntil("member " + member.number + " to come back", () -> isBack && !member.isAbsent());
        stepUntil("all members to be stable", world::isStable);
    }

    private void beginAbsence(final Member member, final long absentNs)
    {
        isBegun = true;
        isBack = !member.act(FaultKind.CONSUMER_REOPENED, absentNs);
        if (!isBack)
        {
            world.clock.after(absentNs, () ->
            {
                isBack = true;
                member.repair();
            });
        }
    }

    /** Another thread closes the member in one of its next polls, or else the member closes itself. */
    private void closeByOther(final Member member, final int tries)
    {
        if (!member.closeByOther(tries == 0))
        {
            world.clock.after(
                draw.logBetween(MIN_CLOSE_NS, MAX_CLOSE_NS), () -> closeByOther(member, tries - 1));
        }
    }

    private void stepUntil(final String expected, final BooleanSupplier condition)
    {
        stepUntil(expected, boundNs(), condition);
    }

    private void stepUntil(final String expected, final long boundNs, final BooleanSupplier condition)
    {
        final long startNs = world.clock.nowNs();
        while (!condition.getAsBoolean())
        {
            world.ledger.check(world.clock.nowNs() - startNs < boundNs, "moves",
                expected + " within " + boundNs / 1e9 + " s, because nothing fails");
            world.step();
        }
    }

    /**
     * How long a step may take: members learn of it with their next heartbeats, give partitions up, commit, and look up
     * the first offsets of others; each takes a request or two, and each answer may wait for a batch. Brokers that are
     * lost with their machines answer no connect, and a member that comes back knows nothing of that.
     */
    private long boundNs()
    {
        boolean isSlowToRevoke = false;
        for (final Member member : members)
        {
            isSlowToRevoke |= member.isSlowToRevoke;
        }
        return TimeUnit.MILLISECONDS.toNanos(4L * world.intervalMs + 2L * GroupWorld.ASSIGNMENT_INTERVAL_MS +
            (isSlowToRevoke ? GroupWorld.REVOCATION_MS : 0) + unansweredMs()) + REQUESTS_NS +
            2 * world.cycles * world.slowestNs() + 2 * world.loadingNs();
    }

    /** What connects to lost brokers may take: some of each, for metadata and to find the coordinator. */
    private long unansweredMs()
    {
        final long lost = world.network.hosts().stream().filter((host) -> host.isGone && host.isSilent).count();
        return lost * CONNECTS * (world.scenario.connectTimeoutMs + world.scenario.reconnectBackoffMaxMs);
    }
}
