// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.ApiKey;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests how a member is fenced, leaves and fails, and until when it delivers. */
class MemberStatesTest extends MemberFixture
{
    @Test
    void shouldDeliverForEightIntervalsAtMostFortySeconds()
    {
        begin();
        assertEquals(TimeUnit.SECONDS.toNanos(40), member.fenceNs());
        time(100);
        send();
        time(200);
        exchange.answer(protocol, response(1, null).setHeartbeatIntervalMs(1));
        assertEquals(TimeUnit.MILLISECONDS.toNanos(8), member.fenceNs());
        // The time begins when the request was sent.
        assertEquals(TimeUnit.MILLISECONDS.toNanos(108), member.deliverUntilNs(member.fenceNs()));
        assertEquals(TimeUnit.MILLISECONDS.toNanos(100), member.lastConfirmedNs());
    }

    @Test
    void shouldDeliverNoLongerThanTheCoordinatorWaitsForAPartition()
    {
        final long longNs = TimeUnit.MINUTES.toNanos(5);
        beginStable(0, 1);
        assertEquals(longNs, member.deliverUntilNs(longNs));
        time(1_000);
        send();
        answer(2, new int[] {0});
        assertEquals(TimeUnit.SECONDS.toNanos(61), member.revokeUntilNs());
        assertEquals(TimeUnit.SECONDS.toNanos(61), member.deliverUntilNs(longNs));
        assertEquals(TimeUnit.SECONDS.toNanos(1) + 5, member.deliverUntilNs(5));
        member.checkMembership();
        assertEquals("full 2 [0, 1]", send());
        answer(2, null);
        assertEquals(TimeUnit.SECONDS.toNanos(61), member.deliverUntilNs(longNs));

        member.disown(1);
        assertEquals(TimeUnit.SECONDS.toNanos(61), member.deliverUntilNs(longNs));
        time(2_000);
        send();
        answer(2, null);
        assertEquals(TimeUnit.SECONDS.toNanos(2) + longNs, member.deliverUntilNs(longNs));
    }

    @Test
    void shouldDeliverNothingOnceItIsFenced()
    {
        beginStable(0);
        send();
        assertFalse(refuse(UNKNOWN_MEMBER_ID));
        assertEquals(GroupState.FENCED, member.state());
        assertEquals(0, member.epoch());
        assertEquals(clock.nowNs() - 1, member.deliverUntilNs(TimeUnit.HOURS.toNanos(1)));
        assertFalse(protocol.canSend());

        member.rejoin();
        assertEquals(0, member.ownedCount());
        assertFalse(member.owned.get(0) || member.isTarget(0));
        assertTrue(isDue());
        assertEquals("join 0 []", send());
    }

    // Behaviour O171.
    @Test
    void shouldLeaveAndNotTakeWhatItIsAssignedMeanwhile()
    {
        beginStable(0);
        send();
        member.leave();
        answer(2, new int[] {0, 1});
        assertFalse(member.isTarget(1));
        assertTrue(isDue());

        assertEquals("leave -1", send());
        assertTrue(answer(-1, null));

        assertEquals(GroupState.LEFT, member.state());
        assertFalse(protocol.canSend() || isDue());
        assertEquals(0, member.ownedCount());
    }

    // Behaviour O176.
    @ParameterizedTest
    @CsvSource({"14, false", "25, true", "42, true"})
    void shouldSendALeaveAgainOnlyAfterAnErrorThatMayPass(final int code, final boolean hasLeft)
    {
        beginStable(0);
        member.leave();
        send();
        assertEquals(hasLeft, refuse(code));
        assertEquals(hasLeft, member.isEnded());
        assertEquals(hasLeft ? 0 : code, member.errorCode());
        assertEquals(!hasLeft, protocol.canSend());
        assertEquals(hasLeft ? 0 : 1, counters.get(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    @Test
    void shouldEndWithoutALeaveIfItHasNotAskedToJoin()
    {
        begin();
        member.leave();
        assertEquals(GroupState.LEFT, member.state());
        assertFalse(protocol.canSend());
    }

    @Test
    void shouldStayFailedWhenItLeaves()
    {
        begin();
        member.fail(ApiKey.FIND_COORDINATOR, (short)42);
        member.leave();
        assertEquals(GroupState.FAILED, member.state());
    }

    private void setStatic()
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.instanceId = "static";
    }

    // Behaviour O178.
    @Test
    void shouldKeepTheInstanceIdOfAStaticMemberThatLeaves()
    {
        setStatic();
        beginStable(0);
        member.leave();
        assertEquals("leave -2", send());
        assertEquals("static", sent.instanceId());
    }

    /** It leaves for good first, or else its old membership would last until the session expires. */
    @Test
    void shouldLeaveFirstIfTheCoordinatorKnowsItUnderAnotherEpoch()
    {
        setStatic();
        begin();
        send();
        assertFalse(refuse(FENCED_MEMBER_EPOCH));

        assertEquals("leave -1", send());
        assertTrue(refuse(0));

        assertEquals(GroupState.JOINING, member.state());
        assertEquals("join 0 []", send());
    }

    /** The coordinator does not compare the ids of members, so this member itself may hold the id of the instance. */
    @Test
    void shouldLeaveFirstIfItMayHoldTheInstanceIdItself()
    {
        setStatic();
        begin();
        send();
        protocol.onLost();
        assertEquals("join 0 []", send());
        assertFalse(refuse(UNRELEASED_INSTANCE_ID));

        assertEquals("leave -1", send());
        assertTrue(refuse(0));

        assertEquals("join 0 []", send());
        assertFalse(refuse(UNRELEASED_INSTANCE_ID));
        assertEquals("join 0 []", send());
    }

    @Test
    void shouldWaitForAnInstanceIdForNinetySecondsFromTheFirstRefusalOn()
    {
        begin();
        for (final long ms : new long[] {10_000, 50_000, 100_000})
        {
            time(ms);
            send();
            assertFalse(refuse(UNRELEASED_INSTANCE_ID));
            assertEquals(GroupState.JOINING, member.state());
        }
        send();
        answer(1, null);
        for (final long ms : new long[] {110_000, 200_000})
        {
            time(ms);
            send();
            assertFalse(refuse(UNRELEASED_INSTANCE_ID));
            assertEquals(1, member.epoch());
        }
        time(200_001);
        send();
        refuse(UNRELEASED_INSTANCE_ID);
        assertEquals(GroupState.FAILED, member.state());
        assertEquals(0, member.epoch());
    }

    @Test
    void shouldWaitForAnIntervalUntilAnAdministratorMayHaveHelped()
    {
        beginStable(0);
        time(1_000);
        send();
        refuse(29);
        assertEquals(1_000 + INTERVAL_MS, dueMs());
        assertEquals(GroupState.STABLE, member.state());
        assertNotNull(member.report());
    }

    @Test
    void shouldStayAMemberThatOwnsNothingWhenItsTopicWasCreatedAgain()
    {
        beginStable(0, 1);
        assertFalse(member.takeTopicRecreated());
        topic.id(OTHER_ID.getMostSignificantBits(), OTHER_ID.getLeastSignificantBits());
        assertTrue(member.takeTopicRecreated());
        assertFalse(member.takeTopicRecreated());

        member.dropAll();

        assertTrue(member.isTargetLost() && member.isInDoubt());
        assertFalse(member.isTarget(0) || member.isTarget(1));
        assertEquals(0, member.ownedCount());
        assertTrue(isDue());
        assertEquals("full 1 []", send());
        assertTrue(exchange.answer(protocol, response(1, OTHER_ID, new int[] {0})));
        assertFalse(member.isTargetLost());
        assertTrue(member.isTarget(0));
    }

    @Test
    void shouldReportOnceThatItHasJoinedAndBeenAnswered()
    {
        begin();
        assertFalse(member.takeJoined() || member.takeAnswered());
        send();
        answer(1, null);
        assertTrue(member.takeAnswered());
        assertFalse(member.takeAnswered());
        assertTrue(member.takeJoined());
        assertFalse(member.takeJoined());
    }

    /** Only before it has joined, and only if it may choose, does it take the classic protocol. */
    @ParameterizedTest
    @CsvSource({"AUTO, 35, false, true", "CONSUMER, 35, false, false", "AUTO, 42, false, false",
        "AUTO, 35, true, false"})
    void shouldTakeTheClassicProtocolWhereTheOtherIsMissing(
        final GroupProtocol set, final int code, final boolean hasJoined, final boolean isClassic)
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = set;
        begin();
        if (hasJoined)
        {
            send();
            answer(1, null);
        }

        member.fail(ApiKey.FIND_COORDINATOR, (short)code);

        assertEquals(isClassic, member.isClassic());
        assertEquals(isClassic ? GroupState.JOINING : GroupState.FAILED, member.state());
        member.fail(ApiKey.JOIN_GROUP, (short)UNSUPPORTED_VERSION);
        assertEquals(GroupState.FAILED, member.state());
        assertEquals(UNSUPPORTED_VERSION, member.errorCode());
    }

    @Test
    void shouldUseTheIdAndTheProtocolThatAreSet()
    {
        settings.group = new ConsumerSettings.Group("group");
        begin();
        assertEquals(36, member.memberId().length());
        assertEquals("The coordinator has the newer protocol.", member.protocolReason("b"));
        settings.group.memberId = "set";
        settings.group.protocol = GroupProtocol.CONSUMER;
        begin();
        assertEquals("set", member.memberId());
        assertEquals("The settings of the group name it.", member.protocolReason("b"));
        assertFalse(member.isClassic());

        settings.group.protocol = GroupProtocol.CLASSIC;
        settings.group.sessionTimeoutMs = 9_000;
        begin();
        assertTrue(member.isClassic());
        assertEquals(TimeUnit.SECONDS.toNanos(8), member.fenceNs());
        // A member whose heartbeats are on time must not be fenced between two of them.
        member.intervalNs(TimeUnit.MILLISECONDS.toNanos(8_500));
        assertEquals(TimeUnit.MILLISECONDS.toNanos(8_750), member.fenceNs());

        settings.group.protocol = GroupProtocol.AUTO;
        begin();
        member.fail(ApiKey.CONSUMER_GROUP_HEARTBEAT, (short)UNSUPPORTED_VERSION);
        assertEquals("The coordinator, b, does not have the protocol consumer.", member.protocolReason("b"));
    }

    /** As when the group divides its partitions again. */
    @Test
    void shouldHaveToGiveEverythingUpInTime()
    {
        beginStable(0, 1);
        member.clearTarget();
        assertFalse(member.isTarget(0) || member.isTarget(1));
        assertEquals(GroupState.RECONCILING, member.state());
        assertEquals(TimeUnit.SECONDS.toNanos(60), member.deliverUntilNs(TimeUnit.HOURS.toNanos(1)));
    }

    /** The answer to a heartbeat that was sent before the partition was given up does not confirm that. */
    @Test
    void shouldDeliverNoLongerUntilTheCoordinatorKnowsWhatWasGivenUp()
    {
        final long longNs = TimeUnit.HOURS.toNanos(1);
        beginStable(0, 1);
        send();
        answer(2, new int[] {0});
        member.checkMembership();
        send();
        member.disown(1);
        answer(2, null);
        assertEquals(TimeUnit.SECONDS.toNanos(60), member.deliverUntilNs(longNs));
        send();
        answer(2, null);
        assertEquals(longNs, member.deliverUntilNs(longNs));
    }

    @Test
    void shouldLeaveAlthoughItIsFenced()
    {
        beginStable(0);
        send();
        refuse(UNKNOWN_MEMBER_ID);
        assertFalse(protocol.canSend());
        member.leave();
        assertTrue(isDue());
        assertEquals("leave -1", send());
    }

    @Test
    void shouldNotBelieveTheEpochOfAnError()
    {
        beginStable(0);
        send();
        assertFalse(exchange.answer(protocol, response(5, null).setErrorCode((short)UNKNOWN_MEMBER_ID)));
        assertEquals(GroupState.FENCED, member.state());
        assertEquals(0, member.epoch());
    }

    /** A coordinator that has just taken over may not know the members yet. */
    @ParameterizedTest
    @ValueSource(ints = {22, 25})
    void shouldJoinAgainIfItIsNotKnownWhenItJoins(final int code)
    {
        begin();
        send();
        assertFalse(refuse(code));
        assertEquals(GroupState.JOINING, member.state());
        assertTrue(isDue());
        assertEquals("join 0 []", send());
    }

    @ParameterizedTest
    @ValueSource(ints = {22, 25, 69, FENCED_MEMBER_EPOCH})
    void shouldLoseEverythingIfItIsNotKnownAnyMore(final int code)
    {
        beginStable(0);
        send();
        exchange.answer(protocol, new ConsumerGroupHeartbeatResponseData().setErrorCode((short)code));
        assertEquals(GroupState.FENCED, member.state());
        assertTrue(member.failure().endsWith("; all partitions are lost, and the member joins again."),
            member::failure);
        assertFalse(member.failure().contains("("), member::failure);
    }

    /** The answer might lack an assignment that was lost. */
    @Test
    void shouldSendEverythingWhileItOwnsNothing()
    {
        begin();
        send();
        answer(1, null);
        assertEquals("full 1 []", send());
    }
}
