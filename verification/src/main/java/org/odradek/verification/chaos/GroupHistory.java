// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ErrorCode;
import org.odradek.verification.chaos.MemberLedger.Entry;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What happened in a group: all that its verdict is computed from. Times are those of System.nanoTime.
 *
 * @param members   all processes that were members at any time.
 * @param commits   of the group, in the order in which the coordinator has stored them.
 * @param log       of each partition.
 * @param acked     what was acknowledged to the producer.
 * @param windows   of faults that are judged, or that excuse something.
 * @param sessionMs time without a heartbeat after which a member is removed.
 * @param settledMs from the end of the last fault until each partition has an owner and its log is read, or
 *                  {@link #NEVER}.
 * @param limitMs   of that time.
 */
record GroupHistory(
    List<Member> members,
    List<Commit> commits,
    List<ChaosLedger.Slice> log,
    ChaosLedger acked,
    Windows windows,
    int sessionMs,
    long settledMs,
    long limitMs)
{
    static final long NEVER = Long.MAX_VALUE;
    static final long NOT_KILLED = Long.MAX_VALUE;

    /** A line for each entry of each ledger, in order of time, without the deliveries. */
    List<String> lines(final long startNs)
    {
        final Map<Entry, String> names = new IdentityHashMap<>();
        members.forEach((member) -> member.entries().forEach((entry) -> names.put(entry, member.name())));
        return names.keySet().stream().filter((entry) -> entry.kind() != Kind.DELIVERED)
            .sorted(Comparator.comparingLong((entry) -> entry.ns() - startNs))
            .map((entry) -> String.format("%8.3f s  %-14s %s", (entry.ns() - startNs) / 1e9, names.get(entry),
                entry.kind() != Kind.STATE ?
                    entry.kind() + " partition " + entry.partition() + " at offset " + entry.offset() :
                    GroupState.values()[(int)entry.offset()] + " in epoch " + entry.epoch() +
                    (entry.sequence() == ErrorCode.NONE ? "" : ", " + ErrorCode.name((short)entry.sequence()))))
            .toList();
    }

    /**
     * A time.
     *
     * @param name of the member concerned, or of the fault.
     */
    record Window(String name, long fromNs, long toNs)
    {
        boolean contains(final long ns)
        {
            return ns - fromNs >= 0 && ns - toNs <= 0;
        }
    }

    /**
     * Times of faults.
     *
     * @param faults     of the coordinator or of revocation handlers: while one lasts, a member may not commit.
     * @param restarts   of static members, within the session timeout and without another fault.
     * @param slow       while polls of a member were slow, without another fault.
     * @param interrupts from the interrupt of a member until each partition has an owner, without another fault.
     */
    record Windows(List<Window> faults, List<Window> restarts, List<Window> slow, List<Window> interrupts)
    {
        /** None, to which the faults of a run are added. */
        Windows()
        {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }
    }

    /**
     * A committed offset.
     *
     * @param ns when the coordinator stored it, give or take a millisecond.
     */
    record Commit(int partition, long offset, long ns)
    {
        private static final long ERROR_NS = TimeUnit.MILLISECONDS.toNanos(1);

        boolean mayBeBefore(final long otherNs)
        {
            return ns - ERROR_NS - otherNs <= 0;
        }

        boolean isBefore(final long otherNs)
        {
            return ns + ERROR_NS - otherNs < 0;
        }
    }

    /**
     * A process.
     *
     * @param isOurs   false for a consumer of kafka-clients, which is judged less.
     * @param isStaying whether it is to be a member after it was closed, as a static one of a classic group is.
     * @param killedNs when it was dead, or {@link #NOT_KILLED}.
     * @param stops    while it was stopped by a signal.
     * @param entries  of its ledger.
     */
    record Member(
        String name, boolean isOurs, boolean isStaying, long killedNs, List<Window> stops, List<Entry> entries)
    {
        boolean isKilled()
        {
            return killedNs != NOT_KILLED;
        }

        /** Its ownerships, in their order, and in findings what it delivered without one. */
        List<Tenure> tenures(final List<String> findings)
        {
            final List<Tenure> tenures = new ArrayList<>();
            final Map<Integer, Tenure> open = new HashMap<>();
            for (final Entry entry : entries)
            {
                switch (entry.kind())
                {
                    case ASSIGNED ->
                    {
                        final Tenure tenure = new Tenure(this, entry);
                        tenures.add(tenure);
                        open.put(entry.partition(), tenure);
                    }
                    case DELIVERED ->
                    {
                        if (open.containsKey(entry.partition()))
                        {
                            open.get(entry.partition()).deliveries.add(entry);
                        }
                        else
                        {
                            findings.add(name + " delivered offset " + entry.offset() + " of partition " +
                                entry.partition() + ", which it did not own");
                        }
                    }
                    case REVOKED, LOST ->
                    {
                        final Tenure ended = open.remove(entry.partition());
                        if (ended != null)
                        {
                            ended.end(entry.kind(), entry.ns());
                        }
                    }
                    default ->
                    {
                    }
                }
            }
            open.values().forEach((tenure) -> tenure.end(Kind.NONE, killedNs));
            return tenures;
        }

        /**
         * Whether what it delivered after a time is the rest of the poll in which it was stopped, or blocked by its
         * handler, before that time: only that can be late with the guard on.
         */
        boolean isRestOfPoll(final List<Entry> late, final long ns)
        {
            int poll = 0;
            boolean isBlocked = false;
            for (final Entry entry : entries)
            {
                if (entry.ns() - ns <= 0)
                {
                    poll = entry.poll();
                    isBlocked = entry.kind() == Kind.BLOCKED;
                }
            }
            final boolean isStopped = isBlocked || stops.stream().anyMatch((stop) -> stop.contains(ns));
            final int first = late.get(0).poll();
            return isStopped && first <= poll + 1 && late.stream().allMatch((entry) -> entry.poll() == first);
        }
    }

    /**
     * The time in which a member owned a partition.
     */
    static final class Tenure
    {
        final Member member;
        final Entry assigned;
        final List<Entry> deliveries = new ArrayList<>();
        /** {@link Kind#NONE} if the member was killed, or the entry is missing. */
        Kind end;
        long toNs;

        Tenure(final Member member, final Entry assigned)
        {
            this.member = member;
            this.assigned = assigned;
        }

        private void end(final Kind kind, final long ns)
        {
            end = kind;
            toNs = ns;
        }

        int partition()
        {
            return assigned.partition();
        }

        long fromNs()
        {
            return assigned.ns();
        }

        /** Whether the member could not give the partition up: it was killed, or removed from the group. */
        boolean isForced()
        {
            return end == Kind.LOST || end == Kind.NONE && member.isKilled();
        }

        @Override
        public String toString()
        {
            return member.name() + "'s ownership of partition " + partition() + " in epoch " + assigned.epoch();
        }
    }
}
