// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;

import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.FIND_COORDINATOR;
import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests how a member joins a classic group, and when it tries again. */
class ClassicJoinTest extends ClassicFixture
{
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
    void shouldBeConfirmedByTheSyncToo()
    {
        beginMember();
        until(JOIN_GROUP);
        timeMs(1_000);
        until(SYNC_GROUP);
        assertEquals(0, member.lastConfirmedNs());
        cycle();
        assertEquals(1_000_000_000, member.lastConfirmedNs());
    }

    @Test
    void shouldNotJoinBeforeTheTopicIsKnown()
    {
        begin();
        member = coordinator.join();
        settle();
        assertEquals(List.of(), sent);
        assertEquals(-1, deadlineMs());
    }

    @Test
    void shouldTryAgainAfterAnIntervalWhileTheGroupIsFull()
    {
        fail(JOIN_GROUP, 81);
        beginMember();
        until(JOIN_GROUP);
        settle();
        assertEquals(HEARTBEAT_MS, deadlineMs());
        timeMs(HEARTBEAT_MS);
        until(SYNC_GROUP);
    }

    @Test
    void shouldJoinNoMoreWhenItHasFailed()
    {
        fail(JOIN_GROUP, 23);
        beginMember();
        until(JOIN_GROUP);
        cycle();
        assertEquals(GroupState.FAILED, member.state());
        timeMs(10_000);
        settle();
        assertEquals(1, count(JOIN_GROUP));
    }

    @Test
    void shouldKeepItsIdIfAnAnswerNamesNone()
    {
        fail(JOIN_GROUP, 79);
        script(JOIN_GROUP, (request) ->
            new JoinGroupResponseData().setGenerationId(1).setProtocolName("range").setLeader("other"));
        beginSynced();
        assertEquals("m", ((SyncGroupRequestData)requests.get(SYNC_GROUP)).memberId());
    }

    @Test
    void shouldNotBelieveTheGenerationOfAJoinThatFails()
    {
        script(JOIN_GROUP, (request) -> new JoinGroupResponseData().setErrorCode((short)14).setMemberId("m")
            .setGenerationId(5).setProtocolName(""));
        beginMember();
        until(JOIN_GROUP);
        cycle();
        assertEquals(0, member.epoch());
    }

    /** An assignment that is cut off changes nothing. */
    @Test
    void shouldJoinAgainAfterAnAssignmentThatCannotBeRead()
    {
        script(SYNC_GROUP, (request) -> new SyncGroupResponseData().setAssignment(
            // The second topic is cut off in its name.
            new byte[] {0, 0, 0, 0, 0, 2, 0, 5, 't', 'o', 'p', 'i', 'c', 0, 0, 0, 1, 0, 0, 0, 0, 0, 5, 't'}));
        beginMember();
        until(SYNC_GROUP);
        settle();
        assertEquals(GroupState.JOINING, member.state());
        assertEquals(1, errors.size(), errors::toString);
        timeMs(1_000);
        until(SYNC_GROUP);
        assertEquals(2, count(JOIN_GROUP));
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
    void shouldLeaveWithoutAWordIfItWasNotGivenAnId()
    {
        script(JOIN_GROUP, (request) -> new JoinGroupResponseData().setErrorCode((short)79).setProtocolName(""));
        beginMember();
        until(JOIN_GROUP);
        cycle();
        coordinator.leave();
        assertEquals(GroupState.LEFT, member.state());
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
    void shouldWaitForAJoinAndASyncThatAreHeldForTheRebalance()
    {
        script(JOIN_GROUP, SILENT);
        beginMember();
        until(JOIN_GROUP);
        assertEquals(30_000 + 63_000, deadlineMs());
    }

    /** A health probe would end the process while it waits for other members. */
    @Test
    void shouldExpectNoHeartbeatWhileTheAnswerToAJoinOrASyncIsHeld()
    {
        beginSynced(0);
        timeMs(deadlineMs());
        settle();
        assertTrue(counters.get(ConsumerCounters.LAST_HEARTBEAT_MS) > 0);

        script(SYNC_GROUP, SILENT);
        heartbeat(27);
        assertEquals(2, count(JOIN_GROUP));
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
        until(SYNC_GROUP);
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
    }

    /** Else a health probe would never end a process that reads nothing any more. */
    @ParameterizedTest
    @ValueSource(ints = {23, 30, 81})
    void shouldExpectHeartbeatsAgainWhenAJoinIsRefused(final int code)
    {
        beginSynced(0);
        timeMs(deadlineMs());
        settle();
        fail(JOIN_GROUP, code);
        heartbeat(27);
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));

        settle();

        assertEquals(2, count(JOIN_GROUP));
        assertTrue(counters.get(ConsumerCounters.LAST_HEARTBEAT_MS) > 0);
    }

    @Test
    void shouldExpectHeartbeatsAgainWhenTheAnswerToAJoinIsLost()
    {
        beginSynced(0);
        timeMs(deadlineMs());
        settle();
        script(JOIN_GROUP, BROKEN);
        heartbeat(27);
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));

        settle();
        timeMs(nowMs() + 1_000);
        until(JOIN_GROUP);

        assertEquals(3, count(JOIN_GROUP));
        assertTrue(counters.get(ConsumerCounters.LAST_HEARTBEAT_MS) > 0);
    }

    /** The rebalance timeout of another member may be longer than that of this one. */
    @Test
    void shouldExpectNoHeartbeatWhileTheCoordinatorHoldsTheJoinAfterOneThatHasTimedOut()
    {
        beginJoinTimedOut();
        script(JOIN_GROUP, SILENT);
        timeMs(nowMs() + 1_000);
        until(JOIN_GROUP);

        assertEquals(3, count(JOIN_GROUP));
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
    }

    @Test
    void shouldExpectNoHeartbeatAfterAStaticMemberHasLeftDuringAJoin()
    {
        settings.group.instanceId = "static";
        beginHeldJoin();

        coordinator.leave();

        assertEquals(GroupState.LEFT, member.state());
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
    }

    @Test
    void shouldExpectHeartbeatsWhenNoJoinIsAnswered()
    {
        beginJoinTimedOut();
        for (int i = 0; i < 3; i++)
        {
            assertHeartbeatExpected(false);
            untilTimeout();
        }
        assertHeartbeatExpected(true);
    }

    private void assertHeartbeatExpected(final boolean isExpected)
    {
        script(JOIN_GROUP, SILENT);
        timeMs(nowMs() + 2_000);
        until(JOIN_GROUP);
        assertEquals(isExpected, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS) > 0);
    }

    @Test
    void shouldExpectHeartbeatsWhenNoCoordinatorIsFoundAfterAJoinThatHasTimedOut()
    {
        beginJoinTimedOut();
        script(FIND_COORDINATOR, SILENT);
        timeMs(nowMs() + 1_000);
        until(FIND_COORDINATOR);
        settle();

        assertEquals(2, count(JOIN_GROUP));
        assertTrue(counters.get(ConsumerCounters.LAST_HEARTBEAT_MS) > 0);
    }

    private void beginHeldJoin()
    {
        beginSynced(0);
        timeMs(deadlineMs());
        settle();
        script(JOIN_GROUP, SILENT);
        heartbeat(27);
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
    }

    private void beginJoinTimedOut()
    {
        beginHeldJoin();
        untilTimeout();
        assertTrue(counters.get(ConsumerCounters.LAST_HEARTBEAT_MS) > 0);
    }

    @Test
    void shouldWaitForASyncThatIsHeld()
    {
        script(SYNC_GROUP, SILENT);
        beginMember();
        until(SYNC_GROUP);
        assertEquals(30_000 + 63_000, deadlineMs());
    }
}
