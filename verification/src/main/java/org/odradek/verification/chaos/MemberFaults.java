// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.GroupHistory.Window;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The faults of members whose polls take long, and of members whose thread is interrupted. {@link GroupFault} describes
 * both.
 */
final class MemberFaults
{
    /** A poll takes at most so many heartbeat intervals. */
    private static final int MAX_INTERVALS = 3;
    /** A partition is given up in several polls, for which there is three quarters of the time of a revocation. */
    private static final int MAX_PACE_MS = GroupMemberMain.REVOCATION_MS / 10;
    private static final int MAX_INTERRUPTS = 3;
    /** A member that joins owns partitions before it has expired. */
    private static final int MAX_DELAY_MS = 1_500;

    /** When a member is interrupted. */
    private enum Moment
    {
        /** In any poll, or between two of them. */
        POLLING("in any poll"),
        /** In a handler that takes long. */
        SLOW("in slow polls"),
        /** While partitions move. */
        MOVING("while another one joins"),
        /** While it joins. */
        JOINING("while it joins");

        private final String text;

        Moment(final String text)
        {
            this.text = text;
        }
    }

    private MemberFaults()
    {
    }

    /** What is delivered must be committed, and partitions must move, although a heartbeat is due in each poll. */
    static String slowPolls(final ChaosGroup group, final Random random)
    {
        final String before = GroupFault.makeRoom(group, random);
        group.awaitOwned();
        final List<GroupMemberProcess> slow = new ArrayList<>(group.running(GroupMemberProcess::isPolling));
        Collections.shuffle(slow, random);
        slow.subList(1 + random.nextInt(slow.size()), slow.size()).clear();
        final int ms = paceMs(group, random);
        final int count = slow.size();
        final long fromNs = System.nanoTime();
        slow.forEach((member) -> member.send(GroupMemberMain.PACE + ms));
        final String joined = GroupFault.joinOne(group);
        ChaosCluster.pause(group.sessionMs() * 3L / 2);
        final GroupMemberProcess leaving = group.any(random);
        if (slow.remove(leaving))
        {
            addSlow(group, leaving, fromNs);
        }
        leaving.leave();
        ChaosCluster.pause(group.sessionMs() * 3L / 2);
        slow.forEach((member) -> addSlow(group, member, fromNs));
        try
        {
            group.awaitOwnedInTime();
        }
        finally
        {
            slow.forEach((member) -> member.send(GroupMemberMain.PACE + 0));
        }
        return before + "polls of " + count + " members take " + ms + " ms, while " + joined + " and " +
            leaving.name() + " leaves";
    }

    private static void addSlow(final ChaosGroup group, final GroupMemberProcess member, final long fromNs)
    {
        group.windows().slow().add(new Window(member.name(), fromNs, System.nanoTime()));
    }

    /** More than one interval, so that a heartbeat is due in each poll. */
    private static int paceMs(final ChaosGroup group, final Random random)
    {
        final int intervalMs = group.heartbeatMs();
        return Math.min(MAX_PACE_MS, intervalMs + 1 + random.nextInt((MAX_INTERVALS - 1) * intervalMs));
    }

    /** Strikes at each moment, in a random order. */
    static String interrupt(final ChaosGroup group, final Random random)
    {
        final List<Moment> moments = new ArrayList<>(List.of(Moment.values()));
        Collections.shuffle(moments, random);
        final StringBuilder text = new StringBuilder();
        for (final Moment moment : moments)
        {
            text.append(text.isEmpty() ? "" : ", ").append(interrupt(group, random, moment));
        }
        return text.toString();
    }

    private static String interrupt(final ChaosGroup group, final Random random, final Moment moment)
    {
        final String before = GroupFault.makeRoom(group, random);
        group.awaitOwned();
        final GroupMemberProcess owner = moment == Moment.SLOW ? group.anyPolling(random) : group.anyOwner(random);
        final GroupMemberProcess other = group.prepare(null);
        final GroupMemberProcess member = moment == Moment.JOINING ? other : owner;
        if (moment == Moment.POLLING || moment == Moment.SLOW)
        {
            other.join();
            group.awaitOwned();
        }
        if (moment == Moment.SLOW)
        {
            member.send(GroupMemberMain.PACE + paceMs(group, random));
        }
        else if (moment != Moment.POLLING)
        {
            other.join();
        }
        ChaosCluster.pause(random.nextInt(MAX_DELAY_MS));
        final long fromNs = System.nanoTime();
        member.interrupt(1 + random.nextInt(MAX_INTERRUPTS));
        group.awaitOwned();
        group.windows().interrupts().add(new Window(member.name(), fromNs, System.nanoTime()));
        return before + member.name() + " is interrupted " + moment.text;
    }
}
