// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ErrorCode;

import java.util.List;
import java.util.function.UnaryOperator;

import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.FIND_COORDINATOR;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.LEAVE_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Tests how a member leaves: without the backoffs of earlier failures, and over a new connection if need be. */
class CoordinatorLeaveTest extends CoordinatorFixture
{
    private static final UnaryOperator<ApiMessage> ID_REQUIRED = (request) -> new JoinGroupResponseData()
        .setErrorCode(ErrorCode.MEMBER_ID_REQUIRED).setMemberId("m").setProtocolName("");

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
        script(JOIN_GROUP, ID_REQUIRED);
        script(JOIN_GROUP, SILENT);
        beginJoining();
        until(JOIN_GROUP);
        cycle();
        coordinator.leave();
        assertState("not known");
        assertEquals("m", leftAs());
    }

    /** Without the leave, the coordinator would wait for the second join until the session expires. */
    @Test
    void shouldLeaveWithTheIdInTheResponseToAJoinThatIsInFlight()
    {
        script(JOIN_GROUP, ID_REQUIRED);
        beginJoining();
        coordinator.leave();
        assertEquals("m", leftAs());
        assertEquals(1, count(JOIN_GROUP));
        cycle();
        assertEquals(GroupState.LEFT, member.state());
    }

    @Test
    void shouldLeaveWithTheIdOfAJoinThatHasSucceeded()
    {
        beginJoining();
        coordinator.leave();
        assertEquals("m", leftAs());
        assertEquals(0, count(SYNC_GROUP));
    }

    @Test
    void shouldWaitForTheIdAndEndWhenTheJoinIsLost()
    {
        script(JOIN_GROUP, SILENT);
        beginJoining();
        coordinator.leave();
        assertEquals(93_000, deadlineMs());
        timeMs(92_999);
        settle();
        assertState("known");
        assertEquals(GroupState.JOINING, member.state());
        untilTimeout();
        assertEquals(GroupState.LEFT, member.state());
        assertFalse(member.hasJoined());
        assertEquals(0, count(LEAVE_GROUP));
    }

    @Test
    void shouldEndWhenTheJoinThatIsInFlightIsRefused()
    {
        fail(JOIN_GROUP, 14);
        beginJoining();
        coordinator.leave();
        settle();
        assertEquals(GroupState.LEFT, member.state());
        assertEquals(0, count(LEAVE_GROUP));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldNotWaitForTheJoinOfAStaticMember()
    {
        beginClassic();
        settings.group.instanceId = "static";
        script(JOIN_GROUP, SILENT);
        beginMember();
        until(JOIN_GROUP);
        coordinator.leave();
        assertEquals(GroupState.LEFT, member.state());
        assertState("not known");
    }

    private void beginClassic()
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = GroupProtocol.CLASSIC;
        supportClassicGroups();
    }

    /** Begins with a member whose first join is in flight. */
    private void beginJoining()
    {
        beginClassic();
        beginMember();
        until(JOIN_GROUP);
    }

    private String leftAs()
    {
        until(LEAVE_GROUP);
        final LeaveGroupRequestData leave = (LeaveGroupRequestData)requests.get(LEAVE_GROUP);
        return leave.members().isEmpty() ? leave.memberId() : leave.members().get(0).memberId();
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
