// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.junit.jupiter.api.Test;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.protocol.ErrorCode;

import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.API_VERSIONS;
import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.FIND_COORDINATOR;
import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FETCH;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests how a coordinator is found, connected to, left alone and found again, step by step. */
class CoordinatorConnectionTest extends CoordinatorFixture
{
    @Test
    void shouldDoNothingWhileNothingIsDue()
    {
        begin();
        assertEquals(-1, deadlineMs());
        assertEquals(0, coordinator.send());
        assertState("not known");
        assertFalse(coordinator.hasMember());
    }

    @Test
    void shouldWaitForABroker()
    {
        create();
        commit(1);
        assertEquals(-1, deadlineMs());
        assertEquals(0, coordinator.send());
        brokers.put(BROKER, "127.0.0.1", 9_001);
        assertEquals(0, deadlineMs());
        assertEquals(1, coordinator.send());
        assertState("being found");
    }

    /** A clock in nanoseconds may be below 0. */
    @Test
    void shouldConnectAtOnceWhateverTheTimeIs()
    {
        timeMs(-10_000);
        begin();
        commit(1);
        assertEquals(-10_000, deadlineMs());
    }

    @Test
    void shouldFindTheCoordinatorAndSendWhatWaitsInSingleSteps()
    {
        begin();
        commit(1);
        assertEquals(List.of(), cycle());
        assertEquals(List.of(API_VERSIONS), cycle());
        assertEquals(List.of(FIND_COORDINATOR), cycle());
        assertEquals(List.of(), cycle());
        assertState("known");
        assertEquals(List.of(API_VERSIONS), cycle());
        assertEquals(List.of(OFFSET_COMMIT), cycle());
        assertEquals(List.of(), cycle());
        assertEquals(1, coordinator.commits().committedOffset(0));
        assertTrue(coordinator.toString().contains("broker " + COORDINATOR + " at"), coordinator::toString);
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldFindTheCoordinatorForAQueryAlone()
    {
        begin();
        coordinator.fetch();
        until(OFFSET_FETCH);
    }

    @Test
    void shouldKeepTheConnectionToABrokerThatNamesItself()
    {
        coordinatorId = BROKER;
        beginKnown();
        assertEquals(1, counters.get(ConsumerCounters.CONNECTS));
    }

    @Test
    void shouldSendNothingToTheBrokerThatNamesTheCoordinatorWhenNothingWaitsAnyMore()
    {
        begin();
        commit(1);
        until(API_VERSIONS);
        coordinator.commits().discard(0);
        settle();
        assertEquals(List.of(API_VERSIONS), sent);
        assertState("being found");
        // When the connection is too old.
        assertEquals(540_000, deadlineMs());
        commit(1);
        assertEquals(0, deadlineMs());
        assertEquals(List.of(FIND_COORDINATOR), cycle());
    }

    @Test
    void shouldAskTheNextBrokerAtOnceWhenOneCannotNameTheCoordinator()
    {
        brokers.put(BROKER + 1, "127.0.0.1", 9_002);
        script(FIND_COORDINATOR, BROKEN);
        script(FIND_COORDINATOR, BROKEN);
        begin();
        commit(1);
        until(FIND_COORDINATOR);
        assertTrue(coordinator.toString().contains("broker 1 at"), coordinator::toString);
        // The answer cannot be read, then the connection has failed.
        cycle();
        cycle();
        assertState("being found");
        assertTrue(coordinator.toString().contains("broker 2 at"), coordinator::toString);
        timeMs(1_000);
        until(FIND_COORDINATOR);
        cycle();
        cycle();
        assertTrue(coordinator.toString().contains("broker 1 at"), coordinator::toString);
        timeMs(2_000);
        until(OFFSET_COMMIT);
    }

    /** A host that has become silent would otherwise take the longest time for a connection. */
    @Test
    void shouldNotAskTheBrokerThatHasJustFailed()
    {
        brokers.put(BROKER, "127.0.0.1", 9_001);
        brokers.put(2, "127.0.0.1", 9_002);
        brokers.put(3, "127.0.0.1", 9_003);
        coordinatorId = 2;
        beginKnown();
        script(OFFSET_COMMIT, BROKEN);
        commit(2);
        until(OFFSET_COMMIT);
        settle();
        timeMs(1_000);
        cycle();
        assertState("being found");
        assertTrue(coordinator.toString().contains("broker 3 at"), coordinator::toString);
    }

    @Test
    void shouldLookForACoordinatorAgainAfterAGrowingBackoff()
    {
        beginKnown();
        loseCoordinator(1_000);
        assertEquals(1_050, deadlineMs());
        assertEquals(clock.nowNs() + 1, coordinator.nextDeadlineNs(clock.nowNs() + 1));
        timeMs(1_049);
        assertEquals(0, coordinator.send());
        timeMs(1_050);
        assertEquals(1_050, deadlineMs());
        // That another broker goes on naming it does not mean that it can be reached.
        fail(FIND_COORDINATOR, 15);
        until(FIND_COORDINATOR);
        cycle();
        loseCoordinator(10_000);
        assertEquals(10_100, deadlineMs());
        timeMs(11_000);
        until(OFFSET_COMMIT);
        cycle();
        loseCoordinator(20_000);
        assertEquals(20_050, deadlineMs());
    }

    /** Loses the connection to the coordinator at a time, while a commit is in flight. */
    private void loseCoordinator(final long ms)
    {
        timeMs(ms);
        script(OFFSET_COMMIT, BROKEN);
        commitAnswered(2);
        cycle();
        assertState("not known");
    }

    @Test
    void shouldCloseAConnectionThatNobodyUsesForFiveMinutes()
    {
        beginKnown();
        timeMs(300_000);
        cycle();
        assertState("known");
        timeMs(300_001);
        cycle();
        assertState("not known");
        assertTrue(coordinator.toString().contains("closed"), coordinator::toString);
        assertEquals(0, counters.get(ConsumerCounters.CONNECTIONS_LOST));
        assertEquals(List.of(), errors);
        commit(2);
        until(OFFSET_COMMIT);
        assertEquals(1, count(FIND_COORDINATOR));
    }

    /** So a member whose polls take long commits, and sends a heartbeat, in each of them. */
    // Behaviour O169.
    @Test
    void shouldSendAHeartbeatBehindACommitOrAFetch()
    {
        beginJoined();
        settle();
        sent.clear();
        for (int i = 0; i < 6; i++)
        {
            commit(10 + i);
            coordinator.fetch();
            timeMs(nowMs() + INTERVAL_MS);
            assertEquals(List.of(i % 2 == 0 ? OFFSET_COMMIT : OFFSET_FETCH, CONSUMER_GROUP_HEARTBEAT), cycle());
            assertTrue(coordinator.toString().contains("CONSUMER_GROUP_HEARTBEAT after it"), coordinator::toString);
            assertEquals(0, coordinator.send());
            assertTrue(coordinator.isInFlight());
        }
        assertEquals(14, coordinator.commits().committedOffset(0));
        settle();
        assertEquals(15, coordinator.commits().committedOffset(0));
        assertFalse(coordinator.isInFlight());
        assertEquals(clock.nowNs(), member.lastConfirmedNs());
    }

    // Behaviour O169.
    @Test
    void shouldSendAHeartbeatThatBecomesDueBehindACommitInFlight()
    {
        beginJoined();
        settle();
        script(OFFSET_COMMIT, SILENT);
        commit(10);
        assertEquals(List.of(OFFSET_COMMIT), cycle());
        assertEquals(500, deadlineMs());
        timeMs(500);
        assertEquals(500, deadlineMs());

        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), cycle());
    }

    /** Its answer may change the epoch, with which the commit would be refused. */
    // Behaviour O169.
    @Test
    void shouldSendNothingBehindAHeartbeat()
    {
        beginJoined();
        settle();
        script(CONSUMER_GROUP_HEARTBEAT, SILENT);
        timeMs(500);
        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), cycle());
        commit(10);
        coordinator.fetch();
        timeMs(1_000);

        assertEquals(List.of(), cycle());
    }

    // Behaviour O169.
    @Test
    void shouldSendTheHeartbeatFirstWhenACommitWasRefusedBecauseOfTheEpoch()
    {
        beginJoined();
        settle();
        fail(OFFSET_COMMIT, ErrorCode.STALE_MEMBER_EPOCH);
        fail(CONSUMER_GROUP_HEARTBEAT, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
        commit(10);
        assertEquals(List.of(OFFSET_COMMIT), cycle());
        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), cycle());
        assertEquals(List.of(), cycle());
        script(CONSUMER_GROUP_HEARTBEAT, (request) ->
            new ConsumerGroupHeartbeatResponseData().setMemberEpoch(2).setHeartbeatIntervalMs(INTERVAL_MS));
        timeMs(200);
        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), cycle());
        assertEquals(List.of(OFFSET_COMMIT), cycle());
        assertEquals(2, ((OffsetCommitRequestData)requests.get(OFFSET_COMMIT)).generationIdOrMemberEpoch());
    }

    // Behaviour B20, O169.
    @Test
    void shouldSendBothAgainWhenTheConnectionFails()
    {
        beginJoined();
        settle();
        script(OFFSET_COMMIT, BROKEN);
        commit(10);
        timeMs(500);
        assertEquals(List.of(OFFSET_COMMIT, CONSUMER_GROUP_HEARTBEAT), cycle());
        settle();
        sent.clear();
        timeMs(2_000);
        settle();

        assertEquals(1, count(OFFSET_COMMIT));
        assertEquals(1, count(CONSUMER_GROUP_HEARTBEAT));
        assertEquals(10, coordinator.commits().committedOffset(0));
        assertEquals(1, counters.get(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    /** The coordinator may hold their answers for a minute. */
    // Behaviour O169.
    @Test
    void shouldSendNothingBesideAJoinOrASync()
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = GroupProtocol.CLASSIC;
        supportClassicGroups();
        beginMember();
        coordinator.fetch();
        until(JOIN_GROUP);
        assertEquals(JOIN_GROUP, sent.get(sent.size() - 1));
        final List<ApiMessageType> next = cycle();
        assertEquals(List.of(SYNC_GROUP), next);
        assertEquals(List.of(OFFSET_FETCH), cycle());
        sent.clear();

        coordinator.fetch();
        timeMs(nowMs() + INTERVAL_MS);
        assertEquals(List.of(OFFSET_FETCH, HEARTBEAT), cycle());
    }

    @Test
    void shouldSendTheOnlyRequestThatIsDueWhosesoeverTurnItIs()
    {
        beginKnown();
        for (int i = 2; i < 6; i++)
        {
            commit(i);
            assertEquals(List.of(OFFSET_COMMIT), cycle());
            assertEquals(List.of(), cycle());
        }
        assertEquals(0, coordinator.send());
    }

    @Test
    void shouldWaitForTheBackoffOfEachKindOfRequest()
    {
        beginKnown();
        assertEquals(540_000, deadlineMs());
        fail(OFFSET_COMMIT, 14);
        commitAnswered(2);
        assertEquals(100, deadlineMs());
        timeMs(100);
        assertEquals(100, deadlineMs());
        until(OFFSET_COMMIT);
        cycle();
        fail(OFFSET_FETCH, 14);
        coordinator.fetch();
        until(OFFSET_FETCH);
        cycle();
        assertEquals(200, deadlineMs());
        timeMs(200);
        until(OFFSET_FETCH);
        cycle();
        assertEquals(540_200, deadlineMs());
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldWaitForTheNextHeartbeat()
    {
        beginJoined();
        settle();
        // Soon after a change.
        assertEquals(500, deadlineMs());
        assertEquals(clock.nowNs() + 1, coordinator.nextDeadlineNs(clock.nowNs() + 1));
        timeMs(500);
        assertEquals(500, deadlineMs());
        fail(CONSUMER_GROUP_HEARTBEAT, 14);
        until(CONSUMER_GROUP_HEARTBEAT);
        cycle();
        // The next one is due at once, but only after a backoff.
        assertEquals(600, deadlineMs());
    }

    @Test
    void shouldWaitForNoHeartbeatThatCannotBeSent()
    {
        settings.group = new ConsumerSettings.Group("group");
        begin();
        member = coordinator.join();
        assertTrue(coordinator.hasMember());
        // Without the id of the topic.
        assertEquals(-1, deadlineMs());
        timeMs(1);
        assertEquals(-1, deadlineMs());
        assertEquals(0, coordinator.send());
    }

    @Test
    void shouldWaitForMetadataThatShowsWhetherTheTopicStillExists()
    {
        beginKnown();
        fail(OFFSET_COMMIT, 3);
        commitAnswered(2);
        assertNotEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        assertEquals(100, deadlineMs());
        timeMs(99);
        cycle();
        assertEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        timeMs(100);
        cycle();
        assertNotEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        assertEquals(300, deadlineMs());
        assertEquals(clock.nowNs() + 1, coordinator.nextDeadlineNs(clock.nowNs() + 1));
        topic.confirm();
        assertEquals(List.of(OFFSET_COMMIT), cycle());
        cycle();
        assertEquals(2, coordinator.commits().committedOffset(0));
        timeMs(1_000);
        cycle();
        assertEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        assertEquals(540_100, deadlineMs());
    }

    @Test
    void shouldGiveUpCommitsOfATopicThatWasCreatedAgain()
    {
        topic.id(1, 2);
        begin();
        commit(1);
        topic.id(3, 4);
        cycle();
        assertEquals(103, coordinator.commits().errorCode(0));
        assertEquals(-1, deadlineMs());
    }

    @Test
    void shouldFreeItsMemory()
    {
        beginKnown();
        assertTrue(budget.heldBytes() > 0);
        coordinator.free();
        assertEquals(0, budget.heldBytes());
        create();
    }
}
