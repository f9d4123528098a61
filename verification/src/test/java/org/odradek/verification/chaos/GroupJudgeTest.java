// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ErrorCode;
import org.odradek.verification.chaos.GroupHistory.Commit;
import org.odradek.verification.chaos.GroupHistory.Member;
import org.odradek.verification.chaos.GroupHistory.Window;
import org.odradek.verification.chaos.GroupHistory.Windows;
import org.odradek.verification.chaos.GroupJudge.Rule;
import org.odradek.verification.chaos.MemberLedger.Entry;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One partition with the records 0 to 5. Member a delivers 0 to 2, and then b delivers 3 to 5. Times are milliseconds.
 */
class GroupJudgeTest
{
    private static final int END = 6;
    private static final long LIMIT_MS = 100;
    private static final int SESSION_MS = 20;

    private final Ledger a = new Ledger("a");
    private final Ledger b = new Ledger("b");
    private final List<Commit> commits = new ArrayList<>();
    private final Windows windows = new Windows();
    private long settledMs = LIMIT_MS;

    @Test
    void shouldBeCleanAfterAHandover()
    {
        handOver();

        final Verdict<Rule> verdict = verdict();

        assertTrue(verdict.isClean(), verdict.toText());
    }

    @Test
    void shouldFindALostRecord()
    {
        a.assigned(10, 0).delivered(20, 0).delivered(22, 2).revoked(30).left(31);
        b.assigned(40, 3).delivered(41, 3).delivered(42, 4).delivered(43, 5).revoked(60).left(61);
        commit(29, 3);

        assertViolated(Rule.NOTHING_LOST, Rule.IN_ORDER);
    }

    @Test
    void shouldFindOtherBytes()
    {
        a.assigned(10, 0).delivered(20, 0).delivered(21, 1).add(Kind.DELIVERED, 22, 2, 77).revoked(30).left(31);
        b.assigned(40, 3).delivered(41, 3).delivered(42, 4).delivered(43, 5).revoked(60).left(61);
        commit(29, 3);

        assertViolated(Rule.NOTHING_LOST);
    }

    @Test
    void shouldFindTwoOwners()
    {
        a.assigned(10, 0).delivered(20, 0).delivered(21, 1).delivered(22, 2).revoked(45).left(46);
        b.assigned(40, 3).delivered(41, 3).delivered(42, 4).delivered(43, 5).revoked(60).left(61);
        commit(29, 3);

        assertViolated(Rule.ONE_OWNER);
    }

    @Test
    void shouldFindADeliveryWithoutOwnership()
    {
        handOver();
        a.delivered(32, 3);

        assertViolated(Rule.ONE_OWNER);
    }

    @Test
    void shouldFindADeliveryOfARemovedMemberInALaterPoll()
    {
        removed();
        a.poll(4).delivered(50, 3).add(Kind.LOST, 55, 0, 0).left(56);

        assertViolated(Rule.ONE_OWNER);
    }

    @Test
    void shouldAllowTheRestOfThePollInWhichAMemberWasStopped()
    {
        removed();
        a.delivered(50, 3).add(Kind.LOST, 55, 0, 0).left(56);

        final Verdict<Rule> verdict = verdict();

        assertTrue(verdict.isClean(), verdict.toText());
        assertTrue(verdict.toText().contains("1 of them late"), verdict.toText());
    }

    @Test
    void shouldFindTheRestOfAPollThatWasNotStopped()
    {
        removed();
        a.stops.clear();
        a.delivered(50, 3).add(Kind.LOST, 55, 0, 0).left(56);

        assertViolated(Rule.ONE_OWNER);
    }

    @Test
    void shouldAllowTheRestOfThePollInWhichAHandlerBlocked()
    {
        removed();
        a.stops.clear();
        a.add(Kind.BLOCKED, 25, 0, 0).delivered(50, 3).add(Kind.LOST, 55, 0, 0).left(56);

        assertTrue(verdict().isClean());
    }

    @Test
    void shouldFindARepeatAfterARevocation()
    {
        repeat().revoked(30).left(31);

        assertViolated(Rule.REPEATS_EXPLAINED);
    }

    @Test
    void shouldAllowARepeatAfterARevocationDuringAFault()
    {
        repeat().revoked(30).left(31);
        windows.faults().add(new Window("coordinator killed", ns(29), ns(33)));

        assertTrue(verdict().isClean());
    }

    @Test
    void shouldAllowARepeatAfterAKill()
    {
        repeat().killedNs = ns(30);

        final Verdict<Rule> verdict = verdict();

        assertTrue(verdict.isClean(), verdict.toText());
        assertTrue(verdict.toText().contains("1 of them repeated"), verdict.toText());
    }

    @Test
    void shouldFindARepeatWithinAnOwnership()
    {
        handOver();
        b.entries.add(4, new Entry(Kind.DELIVERED, ns(44), 0, 5, 5, 1, 0));

        assertViolated(Rule.REPEATS_EXPLAINED, Rule.IN_ORDER);
    }

    @Test
    void shouldFindAGap()
    {
        a.assigned(10, 0).delivered(20, 0).delivered(22, 2).delivered(23, 1).revoked(30).left(31);
        b.assigned(40, 3).delivered(41, 3).delivered(42, 4).delivered(43, 5).revoked(60).left(61);
        commit(29, 3);

        assertViolated(Rule.IN_ORDER);
    }

    @Test
    void shouldFindAnotherBeginningThanTheCommittedOffset()
    {
        handOver();
        commits.clear();
        commit(25, 2);

        assertViolated(Rule.IN_ORDER);
    }

    @Test
    void shouldFindACommitThatGoesBack()
    {
        handOver();
        commit(55, 5);
        commit(56, 3);

        assertViolated(Rule.COMMITS_RIGHT);
    }

    @Test
    void shouldFindACommitBeyondWhatIsDelivered()
    {
        handOver();
        commit(40, 5);

        assertViolated(Rule.COMMITS_RIGHT);
    }

    @Test
    void shouldCountWhatAStockMemberCommitsTooEarly()
    {
        handOver();
        b.isOurs = false;
        commit(40, 5);

        final Verdict<Rule> verdict = verdict();

        assertTrue(verdict.isClean(), verdict.toText());
        assertTrue(verdict.toText().contains("1 of them by stock members too low or too early"), verdict.toText());
    }

    @Test
    void shouldFindAGroupThatSettlesLateOrNever()
    {
        handOver();
        settledMs = LIMIT_MS + 1;
        assertViolated(Rule.SETTLES);
        settledMs = GroupHistory.NEVER;
        assertViolated(Rule.SETTLES);
    }

    @Test
    void shouldFindAWrongEpoch()
    {
        a.add(Kind.STATE, 5, GroupState.FENCED.ordinal(), ErrorCode.FENCED_MEMBER_EPOCH);
        handOver();

        assertViolated(Rule.SETTLES);
    }

    @Test
    void shouldFindWhatAStaticRestartMoves()
    {
        handOver();
        windows.restarts().add(new Window("c", ns(29), ns(31)));
        assertViolated(Rule.STATIC_RESTART_MOVES_NOTHING);

        windows.restarts().set(0, new Window("a", ns(29), ns(31)));
        assertTrue(verdict().isClean());
    }

    @Test
    void shouldFindAMemberThatFails()
    {
        a.add(Kind.STATE, 5, GroupState.FAILED.ordinal(), ErrorCode.INVALID_REQUEST);
        handOver();

        final Verdict<Rule> verdict = assertViolated(Rule.ENDS_RIGHT);
        assertTrue(verdict.findings(Rule.ENDS_RIGHT).get(0).contains("INVALID_REQUEST"), verdict.toText());
    }

    @Test
    void shouldFindAMemberThatIsClosedAndHasNotLeft()
    {
        handOver();
        b.entries.remove(b.entries.size() - 1);
        windows.faults().add(new Window("responses lost", ns(55), ns(65)));

        assertViolated(Rule.ENDS_RIGHT);
    }

    @Test
    void shouldExpectNoLeaveOfAStaticMemberOfAClassicGroup()
    {
        handOver();
        b.entries.remove(b.entries.size() - 1);
        b.isStaying = true;

        assertTrue(verdict().isClean());
    }

    @Test
    void shouldFindASlowMemberThatDoesNotCommit()
    {
        slow();
        commit(58, 5);

        assertViolated(Rule.SLOW_POLLS_COMMIT);
    }

    @Test
    void shouldAllowASlowMemberTheTimeOfASessionToCommit()
    {
        slow();
        commit(49, 5);
        commit(57, 6);

        final Verdict<Rule> verdict = verdict();

        assertTrue(verdict.isClean(), verdict.toText());
        assertTrue(verdict.toText().contains("2 slow polls of 1 members"), verdict.toText());
    }

    @Test
    void shouldFindASlowMemberThatLosesAPartition()
    {
        handOver();
        b.entries.remove(b.entries.size() - 1);
        b.entries.set(b.entries.size() - 1, new Entry(Kind.LOST, ns(50), 0, 6, 0, 1, 0));
        b.left(61);
        windows.slow().add(new Window("b", ns(40), ns(55)));

        assertViolated(Rule.SLOW_POLLS_COMMIT);
    }

    @Test
    void shouldFindAnInterruptedMemberWithoutASuccessorInTime()
    {
        handOver();
        windows.interrupts().add(new Window("a", ns(19), ns(40)));
        assertViolated(Rule.INTERRUPT_RELEASES);

        windows.interrupts().set(0, new Window("a", ns(20), ns(40)));
        final Verdict<Rule> verdict = verdict();
        assertTrue(verdict.isClean(), verdict.toText());
        assertTrue(verdict.toText().contains("1 interrupts"), verdict.toText());
    }

    @Test
    void shouldFindAnInterruptedMemberThatGivesNothingUp()
    {
        handOver();
        b.entries.remove(b.entries.size() - 2);
        windows.interrupts().add(new Window("b", ns(55), ns(60)));

        assertViolated(Rule.INTERRUPT_RELEASES);
    }

    @Test
    void shouldNotBeCleanWithoutDeliveries()
    {
        assertFalse(new GroupJudge(new GroupHistory(
            List.of(), List.of(), List.of(), new ChaosLedger(false), windows, SESSION_MS, 0, LIMIT_MS))
            .verdict().isClean());
    }

    private void handOver()
    {
        a.assigned(10, 0).delivered(20, 0).delivered(21, 1).delivered(22, 2).revoked(30).left(31);
        b.assigned(40, 3).delivered(41, 3).delivered(42, 4).delivered(43, 5).revoked(60).left(61);
        commit(29, 3);
    }

    /** Member a is stopped in its second poll, and b owns the partition before a goes on. */
    private void removed()
    {
        a.poll(2).assigned(10, 0).delivered(20, 0).delivered(21, 1).delivered(22, 2);
        a.stops.add(new Window("a", ns(24), ns(49)));
        b.assigned(40, 3).delivered(41, 3).delivered(42, 4).delivered(43, 5).revoked(60).left(61);
        commit(23, 3);
    }

    /** Member b delivers the last record of a again, because a has not committed it. */
    private Ledger repeat()
    {
        commit(21, 2);
        b.assigned(40, 2).delivered(41, 2).delivered(42, 3).delivered(43, 4).delivered(44, 5).revoked(60).left(61);
        return a.assigned(10, 0).delivered(20, 0).delivered(20, 1).delivered(22, 2);
    }

    /** Polls of b are slow for longer than a session; it delivers the last record but one in its first half. */
    private void slow()
    {
        a.assigned(10, 0).delivered(20, 0).delivered(21, 1).delivered(22, 2).revoked(30).left(31);
        b.assigned(35, 3).delivered(35, 3).add(Kind.SLOW, 35, 5, 0).delivered(36, 4).add(Kind.SLOW, 36, 5, 0)
            .delivered(45, 5).revoked(60).left(61);
        commit(29, 3);
        windows.slow().add(new Window("b", ns(35), ns(56)));
    }

    private void commit(final long ms, final long offset)
    {
        commits.add(new Commit(0, offset, ns(ms)));
    }

    /** Expects exactly these rules to be violated. */
    private Verdict<Rule> assertViolated(final Rule... rules)
    {
        final Verdict<Rule> verdict = verdict();
        for (final Rule rule : Rule.values())
        {
            assertEquals(
                List.of(rules).contains(rule), !verdict.findings(rule).isEmpty(), rule + "\n" + verdict.toText());
        }
        assertFalse(verdict.isClean());
        return verdict;
    }

    private Verdict<Rule> verdict()
    {
        final ChaosLedger acked = new ChaosLedger(false);
        final long[] sequences = new long[END];
        for (int i = 0; i < END; i++)
        {
            sequences[i] = i;
            acked.partition(0).onAcked(i, i);
        }
        return new GroupJudge(new GroupHistory(List.of(a.member(), b.member()), commits,
            List.of(new ChaosLedger.Slice(0, 0, END, sequences)), acked, windows, SESSION_MS, settledMs, LIMIT_MS))
            .verdict();
    }

    private static long ns(final long ms)
    {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static final class Ledger
    {
        private final String name;
        private final List<Entry> entries = new ArrayList<>();
        private final List<Window> stops = new ArrayList<>();
        private long killedNs = GroupHistory.NOT_KILLED;
        private boolean isOurs = true;
        private boolean isStaying;
        private int poll;

        Ledger(final String name)
        {
            this.name = name;
        }

        Ledger poll(final int number)
        {
            poll = number;
            return this;
        }

        Ledger add(final Kind kind, final long ms, final long offset, final long sequence)
        {
            entries.add(new Entry(kind, ns(ms), 0, offset, sequence, 1, poll));
            return this;
        }

        Ledger assigned(final long ms, final long offset)
        {
            return add(Kind.ASSIGNED, ms, offset, 0);
        }

        Ledger delivered(final long ms, final long offset)
        {
            return add(Kind.DELIVERED, ms, offset, offset);
        }

        Ledger revoked(final long ms)
        {
            return add(Kind.REVOKED, ms, 0, 0);
        }

        Ledger left(final long ms)
        {
            return add(Kind.STATE, ms, GroupState.LEFT.ordinal(), 0);
        }

        Member member()
        {
            return new Member(name, isOurs, isStaying, killedNs, stops, entries);
        }
    }
}
