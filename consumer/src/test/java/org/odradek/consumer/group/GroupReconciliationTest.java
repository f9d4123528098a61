// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests when partitions are taken, committed and fenced, at exact times. */
class GroupReconciliationTest extends ReconciliationFixture
{
    @Test
    void shouldTakeWhatItIsAssignedAndReportItOnceItsOffsetIsKnown()
    {
        begin(0);
        assertEquals(List.of("JOINING 0"), cycle(0));
        assertEquals(List.of(), cycle(0));
        assertFalse(reconciliation.isStable());
        assign(1, 0, 2, STARTING);
        assertEquals(List.of("RECONCILING 1"), cycle(0));
        assertTrue(table.isAssigned(0) && table.isAssigned(2) && table.isAssigned(STARTING));
        assertFalse(table.isAssigned(1) || reconciliation.isOwned(0) || reconciliation.isRevoking(0));
        assertEquals(3, member.ownedCount());

        assertEquals(List.of("assigned 0 at 10", "assigned 2 at 12"), cycle(0));
        heartbeat();
        assertEquals(List.of("STABLE 1"), cycle(0));
        assertTrue(reconciliation.isOwned(0) && reconciliation.isOwned(2));
        assertFalse(reconciliation.isOwned(1) || reconciliation.isOwned(STARTING));
        assertFalse(reconciliation.isOwned(-1) || reconciliation.isOwned(99) || reconciliation.isRevoking(99));
        assertFalse(reconciliation.isStable());

        table.seek(STARTING, 7);
        assertEquals(List.of("assigned 3 at 7"), cycle(0));
        assertTrue(reconciliation.isStable());
        assertEquals(3, counters.get(ConsumerCounters.PARTITIONS_ASSIGNED));
        assertEquals(-1, deadlineMs());
    }

    @Test
    void shouldCommitWhatItGivesUpBeforeItIsRevoked()
    {
        beginOwning(60_000, 0, 1);
        table.seek(1, 15, 4);
        assign(2, 0, 2);
        assertEquals(List.of("RECONCILING 2"), cycle(0));
        assertFalse(table.isAssigned(1) || table.isAssigned(2));
        assertTrue(reconciliation.isOwned(1) && reconciliation.isRevoking(1));
        assertFalse(reconciliation.isRevoking(0) || reconciliation.isStable());
        assertEquals(15, reconciliation.nextOffset(1));
        assertEquals(4, reconciliation.offsetEpoch(1));
        assertEquals(45_000, deadlineMs());
        assertEquals("{1=15}", sendCommit());
        assertEquals(4, sentEpoch());
        assertEquals(List.of(), cycle(1));

        answerCommit(0);
        assertEquals(List.of("revoked 1 at 15"), cycle(2));
        assertFalse(reconciliation.isOwned(1));
        assertTrue(table.isAssigned(2));
        assertEquals(1, counters.get(ConsumerCounters.PARTITIONS_REVOKED));
        assertEquals(List.of("1 at 15 for 30000"), asked);
        assertEquals(List.of(), errors);
        assertEquals(List.of("assigned 2 at 12"), cycle(3));
        assertFalse(reconciliation.isStable());
        heartbeat();
        assertTrue(reconciliation.isStable());
        fence();
        cycle(4);
        // What was given up in time is not lost with the rest.
        assertEquals(15, coordinator.commits().committedOffset(1));
    }

    @Test
    void shouldCommitNothingByItselfWithoutThePolicy()
    {
        beginOwning(0, 0, 1);
        table.seek(1, 15, 4);
        assign(2, 0);
        assertEquals(List.of("RECONCILING 2", "revoked 1 at -1"), cycle(0));
        assertTrue(coordinator.commits().isIdle());
        cycle(100_000);
        assertTrue(coordinator.commits().isIdle());
    }

    @Test
    void shouldCommitWhatIsDeliveredEachInterval()
    {
        beginOwning(5_000, 0, STARTING);
        cycle(4_999);
        assertTrue(coordinator.commits().isIdle());
        cycle(5_000);
        assertEquals("{0=10}", sendCommit());
        answerCommit(0);
        table.seek(0, 11, 4);
        cycle(9_999);
        assertTrue(coordinator.commits().isIdle());
        cycle(10_000);
        assertEquals("{0=11}", sendCommit());
        assertEquals(4, sentEpoch());
        answerCommit(0);
        cycle(15_000);
        assertTrue(coordinator.commits().isIdle());
    }

    /** An empty interval does not wake the consumer, but records do. */
    @Test
    void shouldWakeForACommitOnlyAfterRecords()
    {
        beginOwning(5_000, 0);
        cycle(5_000);
        assertEquals(-1, deadlineMs());

        counters.add(ConsumerCounters.RECORDS, 1);

        assertEquals(10_000, deadlineMs());
        assertEquals(TimeUnit.SECONDS.toNanos(9), reconciliation.nextDeadlineNs(TimeUnit.SECONDS.toNanos(9)));
    }

    /** An acknowledgement does not end a wait, so a wait ends at each interval while an acknowledgement is missing. */
    // Behaviour O202.
    @Test
    void shouldWakeForACommitWhileARecordIsNotAcknowledged()
    {
        isAcknowledged = true;
        beginOwning(5_000, 0);
        final int epoch = table.partition(0).ownershipEpoch();
        table.endRecords(0, epoch, FIRST_OFFSET);
        cycle(5_000);
        assertEquals(10_000, deadlineMs());

        reconciliation.acknowledgements().acknowledge(0, epoch, FIRST_OFFSET);
        cycle(10_000);

        assertEquals(-1, deadlineMs());
    }

    /** Another client of the poller may take the wake-up, and then ends its wait for this member. */
    // Behaviour O202.
    @Test
    void shouldWakeAtOnceForAnAcknowledgementThatARevocationAwaits()
    {
        isAcknowledged = true;
        beginOwning(0, 0);
        final int epoch = table.partition(0).ownershipEpoch();
        table.endRecords(0, epoch, FIRST_OFFSET);
        isDone.set(true);
        assign(2);
        cycle(1);
        cycle(10);
        assertTrue(reconciliation.isAwaiting());
        assertTrue(deadlineMs() > 10, () -> deadlineMs() + " ms");

        reconciliation.acknowledgements().acknowledge(0, epoch, FIRST_OFFSET);

        assertEquals(10, deadlineMs());
        cycle(10);
        assertFalse(reconciliation.isAwaiting());
    }

    @Test
    void shouldWakeAtOnceForAnAssignmentThatACallbackHasReceived()
    {
        beginOwning(0, 0);
        nowNs.set(7_000_000);
        clock.update();
        assign(2, 0, 1);
        assertEquals(7, deadlineMs());
        cycle(8);
        assign(3, 0);
        assertEquals(8, deadlineMs());
    }

    /** The epoch is that of the record before the next offset, and no other is known. */
    @Test
    void shouldCommitAnyOffsetOfAPartitionItOwns()
    {
        beginOwning(0, 0, 1, STARTING);
        table.seek(0, 15, 4);
        assertTrue(reconciliation.commitOwned(0, 15));
        sendCommit();
        assertEquals(4, sentEpoch());
        assertTrue(reconciliation.commitOwned(0, 14));
        assertEquals("{0=14}", sendCommit());
        assertEquals(-1, sentEpoch());
        assertFalse(reconciliation.commitOwned(2, 5));
        assertFalse(reconciliation.commitOwned(STARTING, 5));

        isDone.set(false);
        table.seek(1, 25, 5);
        assign(2, 0, STARTING);
        cycle(0);
        answerCommit(0);
        assertTrue(reconciliation.commitOwned(1, 25));
        assertEquals("{1=25}", sendCommit());
        assertEquals(5, sentEpoch());
        assertTrue(reconciliation.commitOwned(1, 24));
        sendCommit();
        assertEquals(-1, sentEpoch());
    }

    @Test
    void shouldFenceDeliveryOfWhatItOwnsUntilAHeartbeatIsConfirmed()
    {
        begin(0);
        settings.group.fenceAfterMs = 10_000;
        assign(1);
        assertEquals(List.of("STABLE 1"), cycle(0).stream().filter((event) -> !event.contains("JOINING")).toList());
        assertEquals(List.of(), cycle(20_000));
        assertTrue(table.isFenced(clock.nowNs()));
        assign(2, 0);
        cycle(20_000);
        cycle(20_000);
        heartbeat();
        cycle(30_000);
        assertFalse(table.isFenced(clock.nowNs()));

        assertEquals(List.of("fenced after 10001"), cycle(30_001));
        assertEquals(List.of(), cycle(30_002));
        heartbeat();
        assertEquals(List.of("unfenced after 2"), cycle(30_003));
        assertEquals(List.of(), cycle(30_004));
        assertEquals(1, counters.get(ConsumerCounters.FENCES));
    }

    @Test
    void shouldWakeAtOnceWhenACallbackHasLearntThatItWasRemoved()
    {
        beginOwning(0, 0);
        nowNs.set(7_000_000);
        clock.update();
        fence();
        assertEquals(7, deadlineMs());
    }

    @Test
    void shouldWakeForNoCommitWhileItOwnsNothing()
    {
        begin(5_000);
        cycle(0);
        counters.add(ConsumerCounters.RECORDS, 1);
        assertEquals(-1, deadlineMs());
    }

    /** Without a fence of its own, eight intervals; with 0 none. */
    @Test
    void shouldFenceDeliveryAfterEightIntervalsUnlessSet()
    {
        beginOwning(0, 0);
        settings.group.fenceAfterMs = ConsumerSettings.Group.FENCE_AFTER_INTERVALS;
        assertEquals(List.of(), cycle(40_000));
        assertEquals(List.of("fenced after 40001"), cycle(40_001));
    }

    @Test
    void shouldNeverFenceDeliveryIfThatIsSet()
    {
        begin(0);
        settings.group.fenceAfterMs = 0;
        assign(1, 0);
        cycle(0);
        cycle(0);
        cycle(1_000_000);
        assertFalse(table.isFenced(clock.nowNs()));
        assertEquals(0, counters.get(ConsumerCounters.FENCES));
    }

    @Test
    void shouldAcknowledgeAnAssignmentForWhichNothingHadToChange()
    {
        beginOwning(0, 0);
        assign(2, 0, 1);
        assign(3, 0);
        assertTrue(member.isAcknowledged());
        cycle(0);
        assertFalse(member.isAcknowledged());
        assertEquals(1, member.ownedCount());
    }
}
