// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.LangUtil;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ApiKey;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests each step in which partitions are given up or lost, at exact times. */
class RevocationStepsTest extends ReconciliationFixture
{
    @Test
    void shouldAskTheHandlerUntilHalfOfTheTimeHasPassed()
    {
        beginOwning(0, 0);
        isDone.set(false);
        assign(2);
        cycle(0);
        assertEquals(10, deadlineMs());
        cycle(29_999);
        assertEquals(0, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertTrue(reconciliation.isRevoking(0));

        assertEquals(List.of("revoked 0 at -1"), cycle(30_000));

        assertEquals(List.of("0 at 10 for 30000", "0 at 10 for 1", "0 at 10 for 0"), asked);
        assertEquals(1, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertTrue(errors.get(0).contains("not done in time with partition 0 up to offset 10"), errors::toString);
        assertFalse(reconciliation.isOwned(0));
    }

    /** What the last call takes care of is in time. */
    @Test
    void shouldReportNothingIfTheHandlerIsDoneWithItsLastCall()
    {
        beginOwning(0, 0);
        isDone.set(false);
        assign(2);
        cycle(0);
        isDone.set(true);
        assertEquals(List.of("revoked 0 at -1"), cycle(31_000));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldGiveUpACommitAfterThreeQuartersOfTheTime()
    {
        beginOwning(60_000, 0);
        assign(2);
        cycle(0);
        sendCommit();
        assertEquals(List.of(), cycle(44_999));

        assertEquals(List.of("revoked 0 at -1"), cycle(45_000));

        assertTrue(errors.get(0).contains("Offset 10 of partition 0 could not be committed"), errors::toString);
        assertEquals(1, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertTrue(coordinator.commits().isIdle());
    }

    /** The members that read other topics would wait, too. */
    @Test
    void shouldNotWaitForTheCommitOfATopicThatIsDeleted()
    {
        beginOwning(60_000, 0);
        assign(2);
        cycle(0);
        sendCommit();
        answerCommit(3);
        topic.doubt(TimeUnit.MILLISECONDS.toNanos(4_999));
        assertEquals(List.of(), cycle(6_000));
        topic.doubt(TimeUnit.MILLISECONDS.toNanos(6_000));

        assertEquals(List.of("revoked 0 at -1"), cycle(6_000));

        assertTrue(errors.get(0).contains("could not be committed because the brokers do not know the topic"),
            errors::toString);
        assertTrue(coordinator.commits().isIdle());
    }

    /** One answer may come from a broker that has just started. */
    @Test
    void shouldWaitForTheCommitOfATopicThatExistsOrMayExist()
    {
        beginOwning(60_000, 0);
        topic.doubt(0);
        topic.doubt(TimeUnit.SECONDS.toNanos(10));
        topic.confirm();
        assign(2);
        cycle(10_000);
        sendCommit();
        answerCommit(3);
        assertEquals(List.of(), cycle(30_000));
        sendCommit();
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 10"), cycle(30_000));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldReportTheLastConfirmedOffsetAfterACommitThatIsLate()
    {
        beginOwning(60_000, 0);
        reconciliation.commitOwned(0, 10);
        sendCommit();
        answerCommit(0);
        table.seek(0, 15);
        assign(2);
        cycle(0);
        sendCommit();

        assertEquals(List.of("revoked 0 at 10"), cycle(45_000));

        assertEquals(List.of("0 at 15 committed 10"), ends);
        assertTrue(coordinator.commits().isIdle());
        answerCommit(0);
        assertEquals(10, coordinator.commits().committedOffset(0));
    }

    /** The coordinator's timeout starts before the answer is handled, and starts again with each assignment. */
    @Test
    void shouldCountTheTimeFromTheConfirmationOn()
    {
        beginOwning(0, 0, 1);
        isDone.set(false);
        assign(2, 0);
        cycle(20_000);
        cycle(30_000);
        assign(3);
        cycle(30_000);
        cycle(60_000);
        assertEquals(List.of("1 at 11 for 20000", "1 at 11 for 10000", "0 at 10 for 30000", "1 at 11 for 30000",
            "0 at 10 for 0", "1 at 11 for 0"), asked);
    }

    /** It never was this member's to read. */
    @Test
    void shouldGiveUpAtOnceAPartitionThatHasNotStarted()
    {
        beginOwning(60_000, STARTING);
        assign(2);
        assertEquals(List.of("RECONCILING 2"), cycle(0));
        assertFalse(table.isAssigned(STARTING));
        assertEquals(0, member.ownedCount());
        assertEquals(List.of(), asked);
        heartbeat();
        assertEquals(List.of("STABLE 2"), cycle(0));
        assertTrue(reconciliation.isStable());
        assertTrue(coordinator.commits().isIdle());
        assertEquals(0, counters.get(ConsumerCounters.PARTITIONS_REVOKED));
    }

    @Test
    void shouldLoseEverythingWhenItIsFenced()
    {
        beginOwning(60_000, 0, 1, STARTING);
        reconciliation.commitOwned(0, 10);
        sendCommit();
        answerCommit(0);
        isDone.set(false);
        table.seek(1, 15);
        assign(2, 0, STARTING);
        cycle(0);
        table.seek(0, 12);
        reconciliation.commitOwned(0, 12);
        fence();

        assertEquals(List.of("FENCED 0", "lost 0 at 12", "lost 1 at 15", "JOINING 0"), cycle(0));

        assertEquals(List.of("0 at 12 committed 10", "1 at 15 committed -1"), ends);
        assertFalse(table.isAssigned(0) || table.isAssigned(1) || table.isAssigned(STARTING));
        assertTrue(coordinator.commits().isIdle());
        assertEquals(-1, coordinator.commits().committedOffset(0));
        assertEquals(2, counters.get(ConsumerCounters.PARTITIONS_LOST));
        assertEquals(0, member.ownedCount());
        assertEquals(List.of(), cycle(0));
        assign(3);
        cycle(0);
        assertTrue(reconciliation.isStable());
    }

    @Test
    void shouldLoseEverythingOfATopicThatWasCreatedAgain()
    {
        beginOwning(0, 0);
        topic.id(3, 4);

        assertEquals(List.of("lost 0 at 10"), cycle(0));

        assertEquals(GroupState.STABLE, member.state());
        assertTrue(member.isTargetLost());
        assertEquals(List.of(), cycle(0));
    }

    @Test
    void shouldAskAgainAboutAnOffsetThatIsSoughtWhileItGivesUp()
    {
        beginOwning(60_000, 0);
        table.seek(0, 15, 4);
        assign(2);
        cycle(0);
        reconciliation.seek(0, 11);
        assertEquals(-1, reconciliation.offsetEpoch(0));
        cycle(0);
        assertEquals(List.of("0 at 15 for 30000", "0 at 11 for 30000"), asked);
        assertEquals("{0=11}", sendCommit());
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 11"), cycle(0));
        assertEquals(List.of("0 at 11 committed 11"), ends);
    }

    /** Another member may have the partition, so it is lost unless the membership is confirmed in time. */
    @Test
    void shouldLoseWhatItGivesUpWhileItsMembershipIsNotConfirmed()
    {
        beginOwning(0, 0, 1);
        settings.group.fenceAfterMs = 10_000;
        table.seek(1, 14);
        reconciliation.commitOwned(1, 12);
        sendCommit();
        answerCommit(0);
        assign(2, 0);
        // The answer was handled late.
        assertEquals(List.of(), cycle(12_000).stream().filter((event) -> event.contains(" 1 ")).toList());
        assertTrue(reconciliation.isRevoking(1));
        assertEquals(List.of(), cycle(47_999).stream().filter((event) -> event.contains(" 1 ")).toList());
        assertEquals(List.of("lost 1 at 14"), cycle(48_000).stream().filter((event) -> event.contains(" 1 ")).toList());
        assertEquals(0, counters.get(ConsumerCounters.PARTITIONS_REVOKED));
        assertEquals(1, counters.get(ConsumerCounters.PARTITIONS_LOST));
        assertTrue(ends.contains("1 at 14 committed 12"), ends::toString);
    }

    @Test
    void shouldGiveEverythingUpBeforeItLeaves()
    {
        beginOwning(60_000, 0, 1, STARTING);
        reconciliation.commitOwned(1, 11);
        sendCommit();
        answerCommit(0);
        table.seek(0, 15);
        nowNs.set(TimeUnit.SECONDS.toNanos(100));
        reconciliation.leave(TimeUnit.SECONDS.toNanos(4));
        reconciliation.leave(TimeUnit.SECONDS.toNanos(40));

        assertEquals(List.of("revoked 1 at 11"), cycle(100_000));

        assertEquals(List.of("0 at 15 for 2000", "1 at 11 for 2000"), asked);
        assertFalse(member.isLeaving());
        assertEquals("{0=15}", sendCommit());
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 15"), cycle(100_001));
        assertTrue(member.isLeaving());
        assertEquals(0, member.ownedCount());
        assign(2, 0);
        cycle(100_002);
        assertEquals(0, member.ownedCount());
    }

    @Test
    void shouldLeaveWithinTheRevocationTimeoutAtMost()
    {
        beginOwning(0, 0);
        isDone.set(false);
        reconciliation.leave(TimeUnit.HOURS.toNanos(1));
        cycle(0);
        assertEquals(List.of("0 at 10 for 30000"), asked);
    }

    @Test
    void shouldLeaveWithinTheTimeOfACloseAfterALeaveWithoutOne()
    {
        beginOwning(60_000, 0);
        isDone.set(false);
        reconciliation.leave(Long.MAX_VALUE);
        cycle(1_000);
        nowNs.set(TimeUnit.SECONDS.toNanos(2));
        reconciliation.leave(TimeUnit.SECONDS.toNanos(4));
        cycle(2_000);
        assertEquals(List.of("0 at 10 for 29000", "0 at 10 for 2000"), asked);

        assertEquals(List.of("revoked 0 at -1"), cycle(4_000));
        assertTrue(member.isLeaving());
        assertTrue(coordinator.commits().isIdle());
    }

    @Test
    void shouldReportALeaveOfAMemberThatHasNotJoined()
    {
        begin(0);
        reconciliation.leave(1);
        assertEquals(List.of("JOINING 0", "LEFT 0"), cycle(0));
        assertEquals("Ends without a request to leave the group.", reasons.get(1));
        assertEquals(List.of(), cycle(1));
    }

    @Test
    void shouldLoseEverythingWhenItFails()
    {
        beginOwning(0, 0);
        member.fail(ApiKey.FIND_COORDINATOR, (short)42);
        assertEquals(List.of("FAILED 0", "lost 0 at 10"), cycle(0));
        assertEquals(GroupState.FAILED, member.state());
        assertEquals(List.of(), cycle(0));
        assertFalse(reconciliation.commitOwned(0, 10));
    }

    /** What it was assigned before stands until it ends, and is not taken again. */
    @Test
    void shouldTakeNothingWhenItFailsWhileItGivesUp()
    {
        isDone.set(false);
        beginOwning(0, 0);
        assign(2, 1);
        cycle(0);
        member.fail(ApiKey.FIND_COORDINATOR, (short)42);
        assertEquals(List.of("FAILED 0", "lost 0 at 10"), cycle(0));
        assertEquals(List.of(), cycle(0));
        assertEquals(0, member.ownedCount());
        assertFalse(table.isAssigned(1));
    }

    @Test
    void shouldGiveAPartitionUpWhoseHandlerThrows()
    {
        beginOwning(0, 0);
        reconciliation.revocationHandler((partition, nextOffset, remainingNs) ->
        {
            LangUtil.rethrowUnchecked(new IOException("planted"));
            return false;
        });
        assign(2);
        assertEquals(List.of("RECONCILING 2", "revoked 0 at -1"), cycle(0));
        assertTrue(errors.get(0).contains("planted for partition 0"), errors::toString);
        assertEquals(0, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
    }

    /** The handler has not agreed, so nothing is certain to be done. What the application has committed is sent. */
    // Behaviour O185.
    @Test
    void shouldAddNoCommitForAPartitionWhoseHandlerIsLateOrThrows()
    {
        beginOwning(60_000, 0, 1, 2);
        table.seek(0, 15);
        table.seek(1, 25);
        table.seek(2, 35);
        reconciliation.revocationHandler((partition, nextOffset, remainingNs) ->
        {
            if (partition == 1)
            {
                reconciliation.commitOwned(1, 23);
                throw new IllegalStateException("planted");
            }
            return partition == 2;
        });
        assign(2);
        cycle(0);
        assertEquals("{1=23, 2=35}", sendCommit());
        answerCommit(0);
        assertEquals(List.of("revoked 1 at 23", "revoked 2 at 35"), cycle(1));
        assertEquals(List.of("revoked 0 at -1"), cycle(30_000));
        assertTrue(coordinator.commits().isIdle());
        assertEquals(2, errors.size(), errors::toString);
    }

    @Test
    void shouldCommitWhatWasDoneAgainAfterAHandlerHasSoughtAndAgreed()
    {
        beginOwning(60_000, 0);
        reconciliation.revocationHandler((partition, nextOffset, remainingNs) ->
        {
            if (nextOffset == 10)
            {
                reconciliation.seek(0, 9);
            }
            return nextOffset == 9;
        });
        assign(2);
        cycle(0);
        assertTrue(coordinator.commits().isIdle());
        cycle(1);
        assertEquals("{0=9}", sendCommit());
    }

    /** It is thrown at the end of the poll. */
    // Behaviour P236.
    @Test
    void shouldGiveAllPartitionsUpAlthoughTheHandlerThrowsAnError()
    {
        beginOwning(0, 0, 1);
        final AssertionError error = new AssertionError("planted");
        reconciliation.revocationHandler((partition, nextOffset, remainingNs) ->
        {
            throw error;
        });
        assign(2);
        assertEquals(List.of("RECONCILING 2", "revoked 0 at -1", "revoked 1 at -1"), cycle(0));
        assertEquals(4, errors.size(), errors::toString);
        assertEquals("planted", errors.get(1));
        assertEquals("planted", errors.get(3));
    }

    /** A close waits no longer because the group divides its partitions again. */
    @Test
    void shouldLeaveWithinItsTimeAlthoughTheAssignmentChanges()
    {
        beginOwning(0, 0);
        isDone.set(false);
        reconciliation.leave(TimeUnit.SECONDS.toNanos(4));
        assertFalse(reconciliation.isStable());
        cycle(1_000);
        assign(2, 0, 1);
        cycle(1_500);
        assign(3, 0);
        assign(3, 0, 1, 2);
        assertEquals(1_510, deadlineMs());
        assertEquals(List.of("0 at 10 for 1000", "0 at 10 for 500"), asked);
        cycle(2_000);
        assertTrue(member.isLeaving());
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, response(-1));
        assertEquals(List.of("LEFT 0"), cycle(2_001));
        assertEquals("Has left the group.", reasons.get(reasons.size() - 1));
    }

    @Test
    void shouldGiveUpFirstWhatItIsAssignedAgainMeanwhile()
    {
        beginOwning(60_000, 0);
        isDone.set(false);
        assign(2);
        cycle(0);
        assign(3, 0);
        cycle(0);
        assertTrue(reconciliation.isRevoking(0));
        isDone.set(true);
        cycle(0);
        sendCommit();
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 10"), cycle(0));
        assertTrue(table.isAssigned(0));
        // Another member may have committed since: what is known is of no use.
        assertEquals(-1, coordinator.commits().committedOffset(0));
        assertEquals(List.of("assigned 0 at 10"), cycle(0));
    }
}
