// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
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

/** Tests the requests of a member of a classic group, and when each is due. */
class ClassicStepsTest extends ClassicFixture
{
    /** The random part of the first interval is 0.55 of three seconds. */
    private static final int FIRST_HEARTBEAT_MS = 1_650;

    /** Begins with a member that has learnt of its partitions at time 0. */
    private void beginSynced(final int... partitions)
    {
        target = partitions;
        beginMember();
        until(SYNC_GROUP);
        cycle();
    }

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

    private String joinedAs()
    {
        return ((JoinGroupRequestData)requests.get(JOIN_GROUP)).memberId();
    }

    @Test
    void shouldJoinAtOnceWithTheIdThatItIsGiven()
    {
        script(JOIN_GROUP, (request) -> new JoinGroupResponseData().setErrorCode((short)79).setMemberId("m")
            .setProtocolName(""));
        beginSynced();
        assertEquals(2, count(JOIN_GROUP));
        final JoinGroupRequestData join = (JoinGroupRequestData)requests.get(JOIN_GROUP);
        assertEquals("m", join.memberId());
        assertEquals(45_000, join.sessionTimeoutMs());
        // The interval in which the member learns of a rebalance is no part of the time to give partitions up.
        assertEquals(63_000, join.rebalanceTimeoutMs());
        assertEquals(GroupState.STABLE, member.state());
        assertEquals(FIRST_HEARTBEAT_MS, deadlineMs());
        assertEquals(List.of(), cycle());
        timeMs(FIRST_HEARTBEAT_MS);
        assertEquals(List.of(HEARTBEAT), cycle());
        assertEquals(1, ((HeartbeatRequestData)requests.get(HEARTBEAT)).generationId());
        cycle();
        assertEquals(FIRST_HEARTBEAT_MS + HEARTBEAT_MS, deadlineMs());
        assertEquals(1, counters.get(ConsumerCounters.HEARTBEATS));
    }

    @Test
    void shouldWaitBeforeItAsksAgainForAnIdThatItWasNotGiven()
    {
        script(JOIN_GROUP, (request) -> new JoinGroupResponseData().setErrorCode((short)79).setProtocolName(""));
        beginMember();
        until(JOIN_GROUP);
        settle();
        assertEquals(1, count(JOIN_GROUP));
        assertEquals(100, deadlineMs());
        timeMs(100);
        until(SYNC_GROUP);
        assertEquals("", joinedAs());
    }

    @Test
    void shouldWaitBeforeItJoinsAgainIfItNeedsAnIdAlthoughItHasOne()
    {
        fail(JOIN_GROUP, 79, 79);
        beginMember();
        until(JOIN_GROUP);
        settle();
        assertEquals(2, count(JOIN_GROUP));
        timeMs(100);
        until(SYNC_GROUP);
        assertEquals("m", joinedAs());
    }

    @Test
    void shouldNotBelieveAJoinWithoutAGeneration()
    {
        generation = 0;
        beginMember();
        until(JOIN_GROUP);
        settle();
        assertEquals(GroupState.JOINING, member.state());
        assertEquals(0, member.epoch());
        generation = 1;
        timeMs(100);
        until(SYNC_GROUP);
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
        until(JOIN_GROUP);
        until(SYNC_GROUP);
        assertEquals(2, ((SyncGroupRequestData)requests.get(SYNC_GROUP)).generationId());
        assertEquals("m", joinedAs());
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

    @ParameterizedTest
    @CsvSource({"27, m", "25, ''"})
    void shouldJoinAgainAfterASyncThatFails(final int code, final String id)
    {
        fail(SYNC_GROUP, code);
        beginMember();
        until(SYNC_GROUP);
        cycle();
        timeMs(100);
        until(JOIN_GROUP);
        assertEquals(id, joinedAs());
        assertEquals(2, count(JOIN_GROUP));
    }

    @Test
    void shouldJoinAgainWhenTheAnswerToASyncIsLost()
    {
        script(SYNC_GROUP, BROKEN);
        beginMember();
        until(SYNC_GROUP);
        settle();
        timeMs(1_000);
        until(SYNC_GROUP);
        assertEquals(2, count(JOIN_GROUP));
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
    }

    @Test
    void shouldWaitForAJoinAndASyncThatAreHeldForTheRebalance()
    {
        script(JOIN_GROUP, SILENT);
        beginMember();
        until(JOIN_GROUP);
        assertEquals(30_000 + 63_000, deadlineMs());
    }

    @Test
    void shouldWaitForASyncThatIsHeld()
    {
        script(SYNC_GROUP, SILENT);
        beginMember();
        until(SYNC_GROUP);
        assertEquals(30_000 + 63_000, deadlineMs());
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
