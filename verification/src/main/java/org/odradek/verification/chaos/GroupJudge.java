// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ErrorCode;
import org.odradek.verification.chaos.GroupHistory.Commit;
import org.odradek.verification.chaos.GroupHistory.Member;
import org.odradek.verification.chaos.GroupHistory.Tenure;
import org.odradek.verification.chaos.GroupHistory.Window;
import org.odradek.verification.chaos.MemberLedger.Entry;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Judges a group by the ledgers of the members, the committed offsets and the log.
 */
final class GroupJudge
{
    /** The rules, in the order in which the table of a run lists them. */
    enum Rule
    {
        /** Every acknowledged record was delivered by some member, with its bytes. */
        NOTHING_LOST("every acknowledged record is delivered"),
        /** A partition has one owner at a time; a removed member delivers at most the rest of the poll it was in. */
        ONE_OWNER("a partition has one owner at a time"),
        /** Records repeat only after a kill, a removal from the group, or a fault of the coordinator. */
        REPEATS_EXPLAINED("records repeat only where a member could not commit"),
        /** An ownership begins at the committed offset, and its offsets follow one another. */
        IN_ORDER("an ownership begins at the committed offset and has no gap"),
        /** Committed offsets of our members never go back, and never beyond what was delivered. */
        COMMITS_RIGHT("committed offsets never go back nor beyond what is delivered"),
        /** After the last fault everything is owned and read in time, and no heartbeat has a wrong epoch. */
        SETTLES("the group settles after the last fault, without a wrong epoch"),
        /** A clean restart of a static member moves no partition of others. */
        STATIC_RESTART_MOVES_NOTHING("the restart of a static member moves nothing elsewhere"),
        /**
         * Members that are closed have left, none has failed, and none has sent an invalid request. No fault excuses
         * it: none keeps the coordinator from a member for the 40 seconds in which a close may go on.
         */
        ENDS_RIGHT("members leave when they are closed, and none fails"),
        /** Polls of up to three heartbeat intervals neither delay a commit for a session, nor cost a partition. */
        SLOW_POLLS_COMMIT("members with slow polls commit in time and lose nothing"),
        /** A member whose thread is interrupted gives up its partitions, and others own them within a session. */
        INTERRUPT_RELEASES("partitions of an interrupted member move at once");

        private final String sentence;

        Rule(final String sentence)
        {
            this.sentence = sentence;
        }

        @Override
        public String toString()
        {
            return sentence;
        }
    }

    private final GroupHistory history;
    private final Verdict<Rule> verdict = new Verdict<>(Rule.values());
    private final List<Tenure> tenures = new ArrayList<>();
    private long delivered;
    private long repeated;
    private long repeatedAfterStock;
    private long late;
    private long excused;
    private long restarts;
    private long slow;
    private long interrupts;

    GroupJudge(final GroupHistory history)
    {
        this.history = history;
        for (final Member member : history.members())
        {
            tenures.addAll(member.tenures(member.isOurs() ? verdict.findings(Rule.ONE_OWNER) : new ArrayList<>()));
        }
        tenures.sort(Comparator.comparingLong(Tenure::fromNs));
        for (int p = 0; p < history.log().size(); p++)
        {
            final int partition = p;
            final List<Tenure> own = tenures.stream().filter((tenure) -> tenure.partition() == partition).toList();
            final List<Commit> commits =
                history.commits().stream().filter((commit) -> commit.partition() == partition).toList();
            judgeLog(partition, own);
            judgeOwners(own);
            judgeRepeats(own);
            own.stream().filter((tenure) -> tenure.member.isOurs()).forEach((tenure) -> judgeOrder(tenure, commits));
            judgeCommits(own, commits);
        }
        judgeSettling();
        judgeRestarts();
        judgeEnds();
        history.windows().slow().forEach(this::judgeSlow);
        history.windows().interrupts().forEach(this::judgeInterrupt);
        verdict.sumUp(delivered > 0, summary());
    }

    Verdict<Rule> verdict()
    {
        return verdict;
    }

    /** The ledger of the producer compares what was delivered first with the log and what was acknowledged. */
    private void judgeLog(final int partition, final List<Tenure> own)
    {
        final Map<Long, Entry> first = new HashMap<>();
        for (final Tenure tenure : own)
        {
            for (final Entry delivery : tenure.deliveries)
            {
                delivered++;
                final Entry before = first.putIfAbsent(delivery.offset(), delivery);
                if (before != null && before.sequence() != delivery.sequence())
                {
                    verdict.find(Rule.NOTHING_LOST, tenure + " has other bytes at offset " + delivery.offset());
                }
            }
        }
        final ChaosLedger.Partition ledger = history.acked().partition(partition);
        first.values().stream().sorted(Comparator.comparingLong(Entry::offset))
            .forEach((entry) -> ledger.onDelivered(entry.offset(), entry.sequence()));
        final ChaosLedger.Tally before = history.acked().tally();
        if (!ledger.compare(history.log().get(partition)))
        {
            final ChaosLedger.Tally tally = history.acked().tally();
            verdict.find(Rule.NOTHING_LOST, "partition " + partition + ": " + (tally.lost - before.lost) + " lost, " +
                (tally.wrong - before.wrong) + " wrong, " + (tally.clusterLost - before.clusterLost) +
                " lost by the cluster");
        }
    }

    private void judgeOwners(final List<Tenure> own)
    {
        for (int i = 0; i < own.size(); i++)
        {
            for (int j = i + 1; j < own.size() && own.get(j).fromNs() - own.get(i).toNs < 0; j++)
            {
                judgeOverlap(own.get(i), own.get(j));
            }
        }
    }

    private void judgeOverlap(final Tenure tenure, final Tenure next)
    {
        if (!tenure.isForced())
        {
            verdict.find(Rule.ONE_OWNER, tenure + " goes on after " + next + " has begun");
            return;
        }
        final List<Entry> after = tenure.deliveries.stream()
            .filter((delivery) -> delivery.ns() - next.fromNs() > 0).toList();
        if (after.isEmpty())
        {
            return;
        }
        late += after.size();
        if (tenure.member.isOurs() && !tenure.member.isRestOfPoll(after, next.fromNs()))
        {
            verdict.find(Rule.ONE_OWNER, tenure + " delivers " + after.size() + " records, first offset " +
                after.get(0).offset() + ", after " + next + " has begun");
        }
    }

    private void judgeRepeats(final List<Tenure> own)
    {
        final Map<Long, Tenure> owners = new HashMap<>();
        for (final Tenure tenure : own)
        {
            int unexplained = 0;
            Tenure before = null;
            for (final Entry delivery : tenure.deliveries)
            {
                final Tenure earlier = owners.put(delivery.offset(), tenure);
                if (earlier != null)
                {
                    repeated++;
                    repeatedAfterStock += earlier.member.isOurs() ? 0 : 1;
                    if (!isExplained(earlier, tenure))
                    {
                        unexplained++;
                        before = earlier;
                    }
                }
            }
            if (unexplained > 0)
            {
                verdict.find(Rule.REPEATS_EXPLAINED, tenure + " repeats " + unexplained + " records of " + before);
            }
        }
    }

    private boolean isExplained(final Tenure earlier, final Tenure tenure)
    {
        return earlier != tenure && (earlier.isForced() || !earlier.member.isOurs() ||
            history.windows().faults().stream().anyMatch((fault) -> fault.contains(earlier.toNs)));
    }

    private void judgeOrder(final Tenure tenure, final List<Commit> commits)
    {
        long expected = tenure.assigned.offset();
        final ChaosLedger.Slice log = history.log().get(tenure.partition());
        for (final Entry delivery : tenure.deliveries)
        {
            while (expected < Math.min(delivery.offset(), log.to()) && log.sequenceAt(expected) == ChaosLedger.NONE)
            {
                expected++;
            }
            if (delivery.offset() != expected)
            {
                verdict.find(Rule.IN_ORDER, tenure + " delivers offset " + delivery.offset() + " where " + expected +
                    " was expected");
            }
            expected = delivery.offset() + 1;
        }
        long committed = 0;
        boolean isRight = false;
        for (final Commit commit : commits)
        {
            if (commit.mayBeBefore(tenure.fromNs()))
            {
                committed = commit.offset();
                // A commit of about the same time may be earlier or later.
                isRight = isRight && !commit.isBefore(tenure.fromNs()) || committed == tenure.assigned.offset();
            }
        }
        if (!isRight && committed != tenure.assigned.offset())
        {
            verdict.find(Rule.IN_ORDER,
                tenure + " begins at offset " + tenure.assigned.offset() + ", but " + committed + " is committed");
        }
    }

    private void judgeCommits(final List<Tenure> own, final List<Commit> commits)
    {
        final List<Entry> deliveries = own.stream().flatMap((tenure) -> tenure.deliveries.stream())
            .sorted(Comparator.comparingLong(Entry::ns)).toList();
        int next = 0;
        long end = 0;
        long committed = 0;
        for (final Commit commit : commits)
        {
            while (next < deliveries.size() && !commit.isBefore(deliveries.get(next).ns()))
            {
                end = Math.max(end, deliveries.get(next++).offset() + 1);
            }
            final boolean isOfStock = isOfStock(commit, own);
            if (commit.offset() < committed && !isOfStock)
            {
                verdict.find(Rule.COMMITS_RIGHT, "the committed offset of partition " + commit.partition() +
                    " goes back from " + committed + " to " + commit.offset());
            }
            if (commit.offset() > end && !isOfStock)
            {
                verdict.find(Rule.COMMITS_RIGHT, "offset " + commit.offset() + " of partition " + commit.partition() +
                    " is committed, but only those before " + end + " are delivered");
            }
            excused += isOfStock && (commit.offset() < committed || commit.offset() > end) ? 1 : 0;
            committed = commit.offset();
        }
    }

    /**
     * librdkafka may send a commit again that a newer one has overtaken, and a thread of kafka-clients may commit what
     * a poll has returned before the ledger has it.
     */
    private static boolean isOfStock(final Commit commit, final List<Tenure> own)
    {
        Tenure owner = null;
        for (final Tenure tenure : own)
        {
            owner = commit.isBefore(tenure.fromNs()) ? owner : tenure;
        }
        return owner != null && !owner.member.isOurs();
    }

    private void judgeSettling()
    {
        if (history.settledMs() > history.limitMs())
        {
            verdict.find(Rule.SETTLES, history.settledMs() == GroupHistory.NEVER ? "the group never settles" :
                "the group settles after " + history.settledMs() + " ms, but must within " + history.limitMs());
        }
        for (final Member member : history.members())
        {
            final long wrong = count(member, GroupState.FENCED, ErrorCode.FENCED_MEMBER_EPOCH);
            if (wrong > 0)
            {
                verdict.find(Rule.SETTLES, member.name() + " is fenced " + wrong + " times for a wrong epoch");
            }
        }
    }

    private void judgeRestarts()
    {
        for (final Window restart : history.windows().restarts())
        {
            restarts++;
            for (final Member member : history.members())
            {
                final long moved = member.name().equals(restart.name()) ? 0 : member.entries().stream().filter(
                    (entry) -> (entry.kind() == Kind.REVOKED || entry.kind() == Kind.LOST) &&
                    restart.contains(entry.ns())).count();
                if (moved > 0)
                {
                    verdict.find(Rule.STATIC_RESTART_MOVES_NOTHING,
                        member.name() + " gives up " + moved + " partitions at the restart of " + restart.name());
                }
            }
        }
    }

    private void judgeEnds()
    {
        for (final Member member : history.members())
        {
            if (!member.isOurs())
            {
                continue;
            }
            GroupState last = null;
            for (final Entry entry : member.entries())
            {
                if (entry.kind() == Kind.STATE)
                {
                    last = GroupState.values()[(int) entry.offset()];
                    if (last == GroupState.FAILED)
                    {
                        verdict.find(Rule.ENDS_RIGHT,
                            member.name() + " fails with " + ErrorCode.name((short) entry.sequence()));
                    }
                }
            }
            // A member that is closed before its first poll has no entries.
            if (last != GroupState.LEFT && !member.isStaying() && !member.isKilled() && !member.entries().isEmpty())
            {
                verdict.find(Rule.ENDS_RIGHT, member.name() + " is closed in state " + last);
            }
        }
    }

    /** At the end of an ownership, or of the fault, what was delivered a session before must be committed. */
    private void judgeSlow(final Window window)
    {
        slow++;
        for (final Tenure tenure : tenuresOf(window))
        {
            if (tenure.end == Kind.LOST && window.contains(tenure.toNs))
            {
                verdict.find(Rule.SLOW_POLLS_COMMIT, tenure + " is lost although no poll was too slow");
            }
            final long untilNs = tenure.toNs - window.toNs() < 0 ? tenure.toNs : window.toNs();
            final long dueNs = untilNs - TimeUnit.MILLISECONDS.toNanos(history.sessionMs());
            long due = ChaosLedger.NONE;
            for (final Entry delivery : tenure.deliveries)
            {
                due = window.contains(delivery.ns()) && delivery.ns() - dueNs <= 0 ? delivery.offset() : due;
            }
            final long last = due;
            if (last >= 0 && history.commits().stream().noneMatch((commit) ->
                commit.partition() == tenure.partition() && commit.offset() > last && commit.mayBeBefore(untilNs)))
            {
                verdict.find(Rule.SLOW_POLLS_COMMIT,
                    tenure + " has not committed offset " + last + " a session after its delivery in slow polls");
            }
        }
    }

    private void judgeInterrupt(final Window window)
    {
        interrupts++;
        for (final Tenure tenure : tenuresOf(window))
        {
            if (tenure.end != Kind.REVOKED && tenure.toNs - window.fromNs() > 0)
            {
                verdict.find(Rule.INTERRUPT_RELEASES, tenure + " is not given up after an interrupt");
            }
            final long fromNs = tenures.stream()
                .filter((next) -> next.partition() == tenure.partition() && next.fromNs() - tenure.toNs >= 0)
                .mapToLong(Tenure::fromNs).findFirst().orElse(tenure.toNs);
            final long ms = TimeUnit.NANOSECONDS.toMillis(fromNs - window.fromNs());
            if (tenure.end == Kind.REVOKED && ms > history.sessionMs())
            {
                verdict.find(Rule.INTERRUPT_RELEASES, tenure + " has a successor " + ms + " ms after an interrupt");
            }
        }
    }

    /** The ownerships of the member of a fault. */
    private List<Tenure> tenuresOf(final Window window)
    {
        return tenures.stream().filter((tenure) -> tenure.member.name().equals(window.name())).toList();
    }

    private static long count(final Member member, final GroupState state, final short errorCode)
    {
        return member.entries().stream().filter((entry) -> entry.kind() == Kind.STATE &&
            entry.offset() == state.ordinal() && entry.sequence() == errorCode).count();
    }

    private long workerMembers()
    {
        return history.members().stream()
            .filter((member) -> member.name().startsWith(GroupMemberMain.WORKERS)).count();
    }

    private long slowPolls()
    {
        return history.members().stream().flatMap((member) -> member.entries().stream())
            .filter((entry) -> entry.kind() == Kind.SLOW).count();
    }

    private String summary()
    {
        final long forced = tenures.stream().filter(Tenure::isForced).count();
        return history.members().size() + " members, " + workerMembers() + " of them with two workers, " +
            tenures.size() + " ownerships, " + forced + " of them ended by a kill or a removal, " +
            delivered + " deliveries, " + repeated + " of them repeated (" + repeatedAfterStock +
            " after stock members), " + late + " of them late; " + history.commits().size() + " commits, " +
            excused + " of them by stock members too low or too early; " + restarts + " static restarts; " +
            interrupts + " interrupts; " + slowPolls() + " slow polls of " + slow + " members; settled after " +
            history.settledMs() + " ms.";
    }
}
