// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ApiKey;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests callbacks for partitions that take long, at exact times: they follow one another until 100 ms after the cycle
 * began, and the next cycle continues, so that the member can send heartbeats between them.
 */
class GroupCallbacksTest extends ReconciliationFixture
{
    private long nowMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(nowNs.get());
    }

    /** Runs another cycle without a wait. */
    private List<String> cycle()
    {
        assertEquals(TimeUnit.NANOSECONDS.toMillis(clock.nowNs()), deadlineMs());
        return cycle(nowMs());
    }

    // Behaviour O234, tried 2026-11-29: Slow callbacks for partitions are distributed over several cycles, between
    // which heartbeats are sent. No partition is read before its assigned event. The revocation handler is called for
    // each partition in turn. No partition is taken and no join is sent before all lost partitions are reported. After
    // a removal the revocation handler is not called, and a member that leaves is assigned no further partitions.
    @Test
    void shouldReportAssignedPartitionsInSeveralCyclesAndReadNoneBefore()
    {
        begin(0);
        callbackMs = 60;
        assign(1, 0, 1, 2);
        cycle(0);
        assertEquals(List.of("assigned 0 at 10", "assigned 1 at 11"), cycle(0));
        assertTrue(table.isFetchable(0, 0) && table.isFetchable(1, 0));
        assertFalse(table.isFetchable(2, 0) || reconciliation.isStable() || reconciliation.isOwned(2));
        final int generation = table.generation(2);
        table.takeAssignmentChanged();

        assertEquals(List.of("assigned 2 at 12"), cycle());
        assertTrue(table.isFetchable(2, 0) && table.hasChanges());
        assertEquals(generation, table.generation(2));
        heartbeat();
        assertEquals(List.of("STABLE 1"), cycle());
        assertTrue(reconciliation.isStable());
        assertEquals(-1, deadlineMs());
    }

    /** As {@code keepAlive} does. */
    // Behaviour O234.
    @Test
    void shouldEndTheCycleAlsoIfEachCallbackReadsTheClock()
    {
        begin(0);
        callbackMs = 60;
        inCallback = clock::update;
        assign(1, 0, 1, 2);
        cycle(0);
        assertEquals(List.of("assigned 0 at 10", "assigned 1 at 11"), cycle(0));
        assertEquals(List.of("assigned 2 at 12"), cycle());
    }

    @Test
    void shouldCallOneAtLeastInEachCycle()
    {
        begin(0);
        callbackMs = 5_500;
        assign(1, 0, 1, 2);
        cycle(0);
        assertEquals(List.of("assigned 0 at 10"), cycle(0));
        assertEquals(List.of("assigned 1 at 11"), cycle());
        assertEquals(List.of("assigned 2 at 12"), cycle());
    }

    // Behaviour O234.
    @Test
    void shouldReportNoFurtherPartitionOnceItLeaves()
    {
        begin(0);
        callbackMs = 5_500;
        assign(1, 0, 1, 2);
        cycle(0);
        assertEquals(List.of("assigned 0 at 10"), cycle(0));
        reconciliation.leave(FAR_NS);
        assertEquals(List.of(), cycle().stream().filter((event) -> event.contains("assigned")).toList());
        assertFalse(table.isAssigned(0) || table.isAssigned(1) || table.isAssigned(2));
    }

    // Behaviour O234.
    @Test
    void shouldReportNoFurtherPartitionOnceACallbackLeaves()
    {
        begin(0);
        assign(1, 0, 1, 2);
        cycle(0);
        inCallback = () -> reconciliation.leave(FAR_NS);
        assertEquals(List.of("assigned 0 at 10"), cycle(0).subList(0, 1));
        assertEquals(1, events.stream().filter((event) -> event.contains("assigned")).count());
        assertFalse(table.isAssigned(0) || table.isAssigned(1) || table.isAssigned(2));
    }

    /** What was in flight for a partition that is held, because it was assigned in the same cycle, is discarded. */
    @Test
    void shouldReadAHeldPartitionFromWhereItWasSought()
    {
        begin(0);
        callbackMs = 100;
        assign(1, 0, 1);
        cycle(0);
        cycle(0);
        table.seek(1, 99);
        assertFalse(table.isFetchable(1, 0));
        assertEquals(List.of("assigned 1 at 99"), cycle());
        assertTrue(table.isFetchable(1, 0));
    }

    @Test
    void shouldNotHoldAPartitionAnyMoreThatWasGivenUpMeanwhile()
    {
        begin(0);
        callbackMs = 100;
        assign(1, 0, 1);
        cycle(0);
        cycle(0);
        assign(2, 0);
        cycle();
        assertFalse(table.isAssigned(1));
        assign(3, 0, 1);
        callbackMs = 0;
        cycle();
        assertEquals(List.of("assigned 1 at 11"), cycle(nowMs()));
        assertTrue(table.isFetchable(1, 0));
    }

    // Behaviour O234.
    @Test
    void shouldAskAboutEachPartitionOnceBeforeItAsksAgain()
    {
        beginOwning(0, 0, 1, 2);
        isDone.set(false);
        callbackMs = 60;
        assign(2);
        cycle(0);
        assertFalse(table.isAssigned(0) || table.isAssigned(1) || table.isAssigned(2));
        assertEquals(List.of("0 at 10 for 30000", "1 at 11 for 29940"), asked);
        cycle();
        assertEquals("2 at 12 for 29880", asked.get(2));
        assertEquals(3, asked.size());
        assertEquals(nowMs() - 60 + 10, deadlineMs());
        cycle(nowMs());
        assertEquals(List.of("0 at 10 for 29820", "1 at 11 for 29760"), asked.subList(3, asked.size()));

        isDone.set(true);
        callbackMs = 5_000;
        assertEquals(List.of(), cycle());
        assertEquals("2 at 12 for 29700", asked.get(asked.size() - 1));
        assertEquals(List.of("revoked 2 at -1"), cycle());
        assertEquals(List.of(), cycle(nowMs()));
        assertEquals(List.of("revoked 0 at -1"), cycle());
        assertTrue(reconciliation.isOwned(1));
        assertEquals(1, member.ownedCount());
        cycle();
        assertEquals(List.of("revoked 1 at -1"), cycle());
        assertEquals(List.of(), errors);
    }

    // Behaviour O234.
    @Test
    void shouldReportLostPartitionsInSeveralCyclesAndJoinAgainAfterTheLast()
    {
        beginOwning(60_000, 0, 1, 2);
        callbackMs = 60;
        reconciliation.commitOwned(2, 12);
        fence();
        assertEquals(List.of("FENCED 0", "lost 0 at 10", "lost 1 at 11"), cycle(0));
        assertFalse(table.isAssigned(2) || reconciliation.isOwned(2));
        assertFalse(protocol.canSend() || reconciliation.isStable());
        assertTrue(coordinator.commits().isIdle());
        reconciliation.leave(TimeUnit.SECONDS.toNanos(4));
        assertEquals(List.of("lost 2 at 12", "JOINING 0"), cycle());
        assertTrue(member.isLeaving());
    }

    // Behaviour O190, O234.
    @Test
    void shouldTakeNothingBeforeEverythingIsReportedAsLost()
    {
        beginOwning(0, 0, 1, 2);
        callbackMs = 100;
        topic.id(TOPIC_ID.getMostSignificantBits(), 7);
        assertEquals(List.of("lost 0 at 10"), cycle(0));
        assertEquals(0, member.ownedCount());
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        member.takeTopicRecreated();
        assign(2, 0, 1, 2);
        assertEquals(List.of("RECONCILING 2", "lost 1 at 11"), cycle());
        assertFalse(table.isAssigned(0) || table.isAssigned(1) || table.isAssigned(2));
        assertEquals(List.of("lost 2 at 12"), cycle());
        assertTrue(table.isAssigned(0) && table.isAssigned(1) && table.isAssigned(2));
        assertEquals(List.of("assigned 0 at 10"), cycle(nowMs()));
    }

    @Test
    void shouldEndOnlyWhenEverythingIsReportedAsLost()
    {
        beginOwning(0, 0, 1);
        callbackMs = 100;
        member.fail(ApiKey.FIND_COORDINATOR, (short)42);
        assertEquals(List.of("FAILED 0", "lost 0 at 10"), cycle(0));
        assertFalse(reconciliation.isEnded());
        assertEquals(List.of("lost 1 at 11"), cycle());
        assertTrue(reconciliation.isEnded());
        assertEquals(List.of(), cycle(nowMs()));
    }

    /** A callback that keeps the member alive may learn that it was removed. */
    // Behaviour O234.
    @Test
    void shouldAskNothingAfterTheMemberWasRemoved()
    {
        beginOwning(0, 0, 1, 2);
        inCallback = () ->
        {
            if (member.state() != GroupState.FENCED)
            {
                fence();
            }
        };
        assign(2, 2);
        cycle(0);
        assertEquals(List.of("0 at 10 for 30000"), asked);
        inCallback = () -> {};
        assertEquals(List.of("FENCED 0", "lost 1 at 11", "lost 2 at 12", "JOINING 0"), cycle());
        assertEquals(1, asked.size());
    }

    @Test
    void shouldReportNothingAsAssignedAfterTheMemberWasRemoved()
    {
        begin(0);
        inCallback = this::fence;
        assign(1, 0, 1);
        cycle(0);
        assertEquals(List.of("assigned 0 at 10"), cycle(0));
        inCallback = () -> {};
        assertEquals(List.of("FENCED 0", "lost 0 at 10", "JOINING 0"), cycle());
    }

    /** State comes first: what an Error of a callback leaves is not half of a change. */
    // Behaviour P236.
    @Test
    void shouldContinueFromTheStateAfterACallbackHasThrown()
    {
        beginOwning(0, 0, 1);
        inCallback = () ->
        {
            throw new AssertionError("planted");
        };
        topic.id(TOPIC_ID.getMostSignificantBits(), 7);
        assertThrows(AssertionError.class, () -> cycle(0));
        assertEquals(0, member.ownedCount());
        assertFalse(table.isAssigned(0) || table.isAssigned(1));
        assertThrows(AssertionError.class, () -> cycle(0));
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        member.takeTopicRecreated();
        assign(2, 0, 1);
        cycle(0);
        assertThrows(AssertionError.class, () -> cycle(0));
        assertThrows(AssertionError.class, () -> cycle(0));
        assertEquals(List.of("lost 0 at 10", "lost 1 at 11", "RECONCILING 2", "assigned 0 at 10", "assigned 1 at 11"),
            events);
        assertTrue(reconciliation.isOwned(0) && reconciliation.isOwned(1));
        assertTrue(table.isFetchable(0, 0) && table.isFetchable(1, 0));
    }

    /** Another member may have the partition already. */
    // Behaviour O234.
    @Test
    void shouldAskNothingWhileTheMembershipIsNotCertain()
    {
        beginOwning(0, 0);
        settings.group.fenceAfterMs = 10_000;
        assign(2);
        cycle(12_000);
        assertEquals(List.of(), asked);
        heartbeat();
        cycle(12_001);
        assertEquals(List.of("0 at 10 for 23999"), asked);
    }

    // Behaviour O235, tried 2026-11-29: The removal of a member causes an error. The error names the reason, the
    // longest cycle since the last confirmed heartbeat, and the partition of that cycle.
    @Test
    void shouldReportARemovalWithTheLongestCycleAndItsPartition()
    {
        beginOwning(0, 0, 1);
        reconciliation.endCycle(TimeUnit.SECONDS.toNanos(99), clock.nowNs() - 1, 0);
        nowNs.set(TimeUnit.SECONDS.toNanos(62));
        reconciliation.endCycle(TimeUnit.SECONDS.toNanos(61), nowNs.get(), 1);
        reconciliation.endCycle(TimeUnit.SECONDS.toNanos(1), nowNs.get(), 0);
        fence();
        cycle(62_000);
        assertEquals(List.of("Group group has removed member " + member.memberId() + ": The coordinator answered a " +
            "heartbeat with UNKNOWN_MEMBER_ID; all partitions are lost, and the member joins again. Its last " +
            "confirmed heartbeat was sent 62.0 s ago; since then, one cycle took 61.0 s, in partition 1."), errors);
    }

    // Behaviour O235.
    @Test
    void shouldNameThePartitionWhoseCallbackTookLong()
    {
        beginOwning(0, 0, 1);
        isDone.set(false);
        callbackMs = 50_000;
        assign(2, 0);
        cycle(0);
        reconciliation.endCycle(TimeUnit.SECONDS.toNanos(50), nowNs.get(), -1);
        fence();
        cycle(50_000);
        assertTrue(errors.get(0).endsWith("one cycle took 50.0 s, in partition 1."), errors::toString);
    }
}
