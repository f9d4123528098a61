// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.SyncGroupRequestData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;

import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.LEAVE_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests the requests of a member of a classic group after its first join, and when each is due. */
class ClassicStepsTest extends ClassicFixture
{
    /** Begins with a member that owns partition 0, as the coordinator knows. */
    private void beginStable()
    {
        beginSynced(0);
        own(0);
        assertEquals(1, count(HEARTBEAT));
        assertEquals(GroupState.STABLE, member.state());
        sent.clear();
    }

    private void own(final int partition)
    {
        member.own(partition);
        member.reconciled();
        settle();
    }

    @Test
    void shouldSendHeartbeatsAtTheIntervalOfTheSettings()
    {
        settings.group.heartbeatIntervalMs = 1_000;
        beginSynced();
        assertEquals(FIRST_HEARTBEAT_MS / 3, deadlineMs());
        assertEquals(List.of("CLASSIC The settings of the group name it."), events);
        assertEquals(0, member.lastConfirmedNs());
        heartbeat(0);
        assertEquals(FIRST_HEARTBEAT_MS / 3 + 1_000, deadlineMs());
        assertEquals(FIRST_HEARTBEAT_MS / 3 * 1_000_000L, member.lastConfirmedNs());
    }

    @Test
    void shouldReportWhatItHasTakenAtOnce()
    {
        beginSynced(0);
        assertEquals(GroupState.RECONCILING, member.state());
        assertEquals(FIRST_HEARTBEAT_MS, deadlineMs());
        member.own(0);
        assertEquals(0, deadlineMs());
        assertEquals(List.of(HEARTBEAT), cycle());
        cycle();
        assertEquals(GroupState.STABLE, member.state());
        assertEquals(HEARTBEAT_MS, deadlineMs());
    }

    @Test
    void shouldJoinAgainOnlyWhenEverythingIsGivenUp()
    {
        beginStable();
        heartbeat(27);
        assertEquals(GroupState.RECONCILING, member.state());
        // One more at once, in case everything is given up already.
        settle();
        assertEquals(2, count(HEARTBEAT));
        assertEquals(2 * HEARTBEAT_MS, deadlineMs());
        heartbeat(27);
        assertEquals(3, count(HEARTBEAT));
        assertEquals(3 * HEARTBEAT_MS, deadlineMs());
        member.disown(0);
        generation = 2;
        target = new int[] {};
        until(JOIN_GROUP);
        until(SYNC_GROUP);
        cycle();
        assertEquals(GroupState.STABLE, member.state());
        assertEquals(2 * HEARTBEAT_MS + FIRST_HEARTBEAT_MS, deadlineMs());
        assertEquals(2, ((SyncGroupRequestData)requests.get(SYNC_GROUP)).generationId());
        assertEquals("m", joinedAs());
    }

    @Test
    void shouldNotReportEachPartitionThatIsGivenUp()
    {
        beginSynced(0, 1);
        member.own(0);
        own(1);
        heartbeat(27);
        settle();
        sent.clear();
        member.disown(0);
        settle();
        assertEquals(List.of(), sent);
    }

    /** Without partitions it could join at any time. */
    @Test
    void shouldStayInItsGenerationWhenTheAnswerOfOneWithoutPartitionsIsLost()
    {
        beginSynced();
        sent.clear();
        heartbeat(14);
        timeMs(nowMs() + 1_000);
        until(HEARTBEAT);
        script(HEARTBEAT, BROKEN);
        timeMs(nowMs() + HEARTBEAT_MS);
        until(HEARTBEAT);
        settle();
        timeMs(nowMs() + 1_000);
        until(HEARTBEAT);
        assertEquals(0, count(JOIN_GROUP));
        assertEquals(2, counters.get(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    /** The answer that cannot be read belongs to the request in flight, not to the next one. */
    @Test
    void shouldNameTheRequestWhoseAnswerCannotBeRead()
    {
        beginStable();
        script(HEARTBEAT, BROKEN);
        timeMs(HEARTBEAT_MS);
        until(HEARTBEAT);
        member.leave();
        cycle();
        assertTrue(errors.get(0).startsWith("Heartbeat response"), errors::toString);
    }

    @Test
    void shouldLeaveAlsoWhenItWasRemoved()
    {
        beginStable();
        heartbeat(22);
        coordinator.leave();
        until(LEAVE_GROUP);
    }

    @Test
    void shouldJoinAtOnceIfEverythingIsGivenUpWhileAHeartbeatIsAnswered()
    {
        beginStable();
        heartbeat(27);
        fail(HEARTBEAT, 27);
        timeMs(deadlineMs());
        until(HEARTBEAT);
        member.disown(0);
        cycle();
        assertEquals(1, count(JOIN_GROUP));
    }

    @Test
    void shouldStayInItsGenerationWhenAHeartbeatFails()
    {
        beginStable();
        for (final int code : List.of(14, -1))
        {
            sent.clear();
            heartbeat(code);
            timeMs(nowMs() + 1_000);
            until(HEARTBEAT);
            cycle();
            assertEquals(0, count(JOIN_GROUP));
        }
        assertEquals(GroupState.STABLE, member.state());
        script(HEARTBEAT, BROKEN);
        sent.clear();
        timeMs(deadlineMs());
        until(HEARTBEAT);
        settle();
        timeMs(nowMs() + 1_000);
        until(HEARTBEAT);
        assertEquals(0, count(JOIN_GROUP));
    }

    @ParameterizedTest
    @CsvSource({"22, m", "25, ''"})
    void shouldJoinAgainWhenItHasDroppedEverything(final int code, final String id)
    {
        beginStable();
        heartbeat(code);
        assertEquals(GroupState.FENCED, member.state());
        timeMs(nowMs() + 10_000);
        settle();
        assertEquals(0, count(JOIN_GROUP));
        member.rejoin();
        until(JOIN_GROUP);
        assertEquals(id, joinedAs());
    }

    @Test
    void shouldJoinAgainWhenItsTopicIsCreatedAgain()
    {
        beginStable();
        member.dropAll();
        assertEquals(List.of(JOIN_GROUP), cycle());
        until(SYNC_GROUP);
        cycle();
        settle();
        assertEquals(1, count(JOIN_GROUP));
        assertEquals(0, count(HEARTBEAT));
    }

    @Test
    void shouldWaitForAHeartbeatAsForAnyRequest()
    {
        beginStable();
        script(HEARTBEAT, SILENT);
        timeMs(HEARTBEAT_MS);
        until(HEARTBEAT);
        assertEquals(HEARTBEAT_MS + 30_000, deadlineMs());
    }

    @Test
    void shouldLeaveAtOnceAndBeDone()
    {
        beginStable();
        fail(LEAVE_GROUP, 14);
        coordinator.leave();
        assertEquals(List.of(LEAVE_GROUP), cycle());
        cycle();
        assertEquals(GroupState.STABLE, member.state());
        timeMs(100);
        assertEquals(List.of(LEAVE_GROUP), cycle());
        cycle();
        assertEquals(GroupState.LEFT, member.state());
        timeMs(100_000);
        settle();
        assertEquals(2, sent.size());
    }

    @Test
    void shouldNotTakeWhatItIsAssignedWhileItLeaves()
    {
        target = new int[] {0};
        beginMember();
        until(SYNC_GROUP);
        member.leave();
        until(LEAVE_GROUP);
        assertEquals(0, counters.get(ConsumerCounters.REBALANCES));
        cycle();
        assertEquals(GroupState.LEFT, member.state());
    }

    @Test
    void shouldLeaveWithoutAWordAsAStaticMember()
    {
        settings.group.instanceId = "static";
        beginStable();
        coordinator.leave();
        assertEquals(GroupState.LEFT, member.state());
        settle();
        assertEquals(List.of(), sent);
    }
}
