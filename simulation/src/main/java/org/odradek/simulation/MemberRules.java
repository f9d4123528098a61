// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;

import java.util.concurrent.TimeUnit;

/** What may happen to a {@link Member}, and how long it may take, by docs/consumer-groups.md and by Kafka's rules. */
final class MemberRules
{
    private static final long REVOCATION_NS = TimeUnit.MILLISECONDS.toNanos(GroupWorld.REVOCATION_MS);
    /** How long a static member asks for an instance id that is held. */
    private static final long UNRELEASED_NS = TimeUnit.SECONDS.toNanos(90);
    /** So many batches may pass before partitions are given up. */
    private static final int REVOCATION_BATCHES = 3;
    /** With a revocation handler that takes its whole time. */
    private static final int SLOW_REVOCATION_BATCHES = 12;
    /** The cycles until a commit is accepted: others may precede it, each of which is answered in the next cycle. */
    private static final int COMMIT_CYCLES = 5;

    private final GroupWorld world;
    private final Member member;

    MemberRules(final GroupWorld world, final Member member)
    {
        this.world = world;
        this.member = member;
    }

    /**
     * Whether the coordinator may have removed the member: its session has expired, and something kept it from sending
     * heartbeats or from receiving the answers; or a handler kept it from giving up partitions in time. By the table in
     * docs/consumer-groups.md, batches may if they take longer than a third of the revocation timeout, or than a
     * twelfth if the revocation handler takes its whole time. A member of a classic group that does not join again in
     * time is removed, too.
     */
    boolean mayBeRemoved()
    {
        final int timeoutMs =
            world.isClassic ? Math.min(world.sessionMs, GroupWorld.REVOCATION_MS) : world.sessionMs;
        final long knownNs = member.membership.knownNs();
        final boolean isExpired = world.clock.nowNs() - knownNs >= TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        return member.disturbedNs > knownNs && isExpired ||
            member.handler().isOverdue(knownNs) || world.isClassic && isTaken() ||
            member.pace().slowestNs() > maxBatchNs() && member.membership.isRevocationOverdue();
    }

    private long maxBatchNs()
    {
        final boolean isHandlerSlow = member.isSlowToRevoke || member.handler().isPassingOn();
        return REVOCATION_NS / (isHandlerSlow ? SLOW_REVOCATION_BATCHES : REVOCATION_BATCHES);
    }

    /** Whether another member has the instance id, or has had it until a short while ago. */
    boolean isTaken()
    {
        return member.isStatic && world.instances.isHeldByOther(member);
    }

    /** Whether the coordinator has heard of this member after another one with its instance id. */
    boolean hasReplaced(final Member other)
    {
        return isTaken() && member.instanceId.equals(other.instanceId) &&
            member.membership.knownNs() > other.membership.knownNs();
    }

    /** Whether the coordinator may know the member, or an earlier consumer of it, under its instance id. */
    boolean isHolding(final String id, final boolean isPresent)
    {
        // A killed member holds the instance id until its session expires, which each load of the groups renews.
        return id.equals(member.instanceId) && (isPresent && !member.isAbsent() || world.clock.nowNs() -
            world.sessionStartNs(member.endedNs) < TimeUnit.MILLISECONDS.toNanos(world.sessionMs) + Member.LATENCY_NS);
    }

    /**
     * Whether the member has waited for the coordinator for as long as one does that gives up partitions, or is closed
     * without any time.
     */
    boolean isCommitOverdue()
    {
        final long timeoutNs = member.isClosing ? TopicConsumer.CLOSE_TIMEOUT_NS : REVOCATION_NS;
        if (member.isClosing && member.isClosedLate)
        {
            return true;
        }
        final boolean isExcused = !world.isCalm() || member.isSlowToRevoke && !member.isClosing ||
            member.pace().reconnectNs() >= REVOCATION_NS / 4 * 3;
        return isExcused && world.clock.nowNs() - member.givingUpNs >= timeoutNs / 4 * 3;
    }

    /**
     * Returns how long a delivered record may be uncommitted while nothing fails: before its commit is answered, so
     * may be an earlier commit, another one that waited meanwhile, and a heartbeat, with a batch between them.
     */
    long maxCommitAgeNs()
    {
        return 4 * Member.LATENCY_NS + COMMIT_CYCLES * member.pace().slowestNs() +
            (world.sasl == null ? 0 : member.pace().reconnectNs()) +
            (member.handler().isPassingOn() ? LateSink.MAX_DELAY_NS : 0) +
            (member.isExplicit ? 0 : TimeUnit.MILLISECONDS.toNanos(member.commitIntervalMs));
    }

    void onGroupState(final GroupState state, final String reason)
    {
        // The coordinator of a classic group forgets members that were never assigned anything when it moves.
        final boolean isNew = world.isClassic && !world.ledger.isOwner(member);
        world.ledger.check(state != GroupState.FENCED || isNew || mayBeRemoved(), "membership",
            "member " + member.number + " not to be removed without a reason, but: " + reason);
        world.ledger.onState(member, state);
        world.ledger.check(state != GroupState.LEFT || !world.ledger.isOwner(member), "leave",
            "member " + member.number + " to have given up its partitions before it leaves");
        final boolean isHeld = member.isStatic && world.clock.nowNs() - member.openedNs >= UNRELEASED_NS &&
            isHolding(member.instanceId, false);
        final boolean isForgotten = member.isStatic && member.membership.isForgotten() || isTaken();
        world.ledger.check(state != GroupState.FAILED || isHeld || isForgotten, "failure",
            "a member that never fails, but: " + reason);
    }
}
