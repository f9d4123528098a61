// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;

import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.FIND_COORDINATOR;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Tests how a member leaves: without the backoffs of earlier failures, and over a new connection if need be. */
class CoordinatorLeaveTest extends CoordinatorFixture
{
    @Test
    void shouldLeaveAtOnceAndWaitForNothingAfterwards()
    {
        beginJoined();
        settle();
        coordinator.leave();
        assertEquals(0, deadlineMs());
        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), cycle());
        assertEquals(1_000, deadlineMs());
        assertEquals(1, coordinator.nextDeadlineNs(1));
        cycle();
        assertEquals(GroupState.LEFT, member.state());
        timeMs(1_001);
        assertEquals(540_000, deadlineMs());
        assertEquals(List.of(), cycle());
        assertState("known");
    }

    /** A member that stays has no attempts to leave. */
    @Test
    void shouldKeepItsConnectionWhileItStays()
    {
        beginJoined();
        settle();
        assertEquals(500, deadlineMs());
        assertState("known");
        assertEquals(0, count(FIND_COORDINATOR));
    }

    @Test
    void shouldTryOnANewConnectionWhenTheAnswerIsLate()
    {
        beginJoined();
        settle();
        script(CONSUMER_GROUP_HEARTBEAT, SILENT);
        script(CONSUMER_GROUP_HEARTBEAT, SILENT);
        timeMs(100);
        coordinator.leave();
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(1_100, deadlineMs());
        timeMs(1_099);
        cycle();
        assertState("known");
        timeMs(1_100);
        sent.clear();
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(1, count(FIND_COORDINATOR));
        // Twice as long.
        assertEquals(3_100, deadlineMs());
        timeMs(3_099);
        cycle();
        assertState("known");
        timeMs(3_100);
        until(CONSUMER_GROUP_HEARTBEAT);
        cycle();
        assertEquals(GroupState.LEFT, member.state());
        assertEquals(List.of(), errors);
    }

    /** The time is for one step of a new connection, not for all. */
    @Test
    void shouldWaitAgainAfterEachAnswer()
    {
        beginJoined();
        settle();
        fail(CONSUMER_GROUP_HEARTBEAT, 16);
        coordinator.leave();
        until(CONSUMER_GROUP_HEARTBEAT);
        sent.clear();
        for (int i = 1; i < 20 && !member.isEnded(); i++)
        {
            timeMs(900 * i);
            cycle();
        }
        assertEquals(GroupState.LEFT, member.state());
        assertEquals(1, count(FIND_COORDINATOR));
    }

    @Test
    void shouldNotWaitForTheBackoffOfHeartbeats()
    {
        beginJoined();
        settle();
        fail(CONSUMER_GROUP_HEARTBEAT, 14);
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(List.of(), cycle());
        coordinator.leave();
        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), cycle());
    }

    @Test
    void shouldNotWaitForTheBackoffOfTheSearch()
    {
        beginJoined();
        settle();
        fail(CONSUMER_GROUP_HEARTBEAT, 16);
        fail(FIND_COORDINATOR, 15);
        timeMs(INTERVAL_MS);
        until(FIND_COORDINATOR);
        settle();
        assertEquals(INTERVAL_MS + 100, deadlineMs());
        coordinator.leave();
        until(FIND_COORDINATOR);
    }

    @Test
    void shouldNotWaitForTheBackoffOfTheCoordinator()
    {
        beginJoined();
        settle();
        script(CONSUMER_GROUP_HEARTBEAT, BROKEN);
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        settle();
        assertState("not known");
        coordinator.leave();
        cycle();
        assertState("being found");
    }

    /** A join is answered when all members have joined, which another member may delay for minutes. */
    // Behaviour O195.
    @Test
    void shouldNotWaitForAJoinThatIsHeld()
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = GroupProtocol.CLASSIC;
        supportClassicGroups();
        script(JOIN_GROUP, SILENT);
        beginMember();
        until(JOIN_GROUP);
        cycle();
        coordinator.leave();
        assertState("not known");
    }

    @Test
    void shouldWaitForAHeartbeatInFlight()
    {
        beginJoined();
        settle();
        script(CONSUMER_GROUP_HEARTBEAT, SILENT);
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        coordinator.leave();
        assertState("known");
        assertEquals(List.of(), cycle());
    }
}
