// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.TopicPartitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests the heartbeats of a member, what it makes of their answers, and when the next one is due. */
class ConsumerProtocolTest
{
    private static final Uuid TOPIC_ID = new Uuid(1, 2);
    private static final Uuid OTHER_ID = new Uuid(3, 4);
    private static final int INTERVAL_MS = 4_000;
    private static final int UNKNOWN_MEMBER_ID = 25;
    private static final int UNSUPPORTED_VERSION = 35;
    private static final int FENCED_MEMBER_EPOCH = 110;
    private static final int UNRELEASED_INSTANCE_ID = 111;

    private final AtomicLong nowNs = new AtomicLong();
    private final DutyClock clock = new DutyClock(nowNs::get, () -> 1);
    private final Settings settings = new Settings();
    private final CounterWriter counters = new CounterWriter();
    private final TopicIdentity topic = new TopicIdentity("topic");
    private final PartitionTable table = new PartitionTable(settings);
    private final RequestExchange exchange = new RequestExchange(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
    private GroupMember member;
    private ConsumerProtocol protocol;
    private ConsumerGroupHeartbeatRequestData sent;

    /** Begins a member that knows the topic. */
    private void begin()
    {
        settings.group = settings.group == null ? new Settings.Group("group") : settings.group;
        settings.random = () -> Long.MIN_VALUE;
        final Environment environment = new Environment(settings, null, clock, null, counters, null, null);
        member = new GroupMember(topic, table, environment);
        protocol = new ConsumerProtocol(member, topic, environment);
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        table.ensureCapacity(3);
        table.takeMetadataRequested();
    }

    /** Begins a member that has joined and is assigned partitions, which it has not taken. */
    private void beginJoined(final int... partitions)
    {
        begin();
        send();
        assertTrue(answer(1, partitions));
    }

    /** Begins a member that owns what it is assigned, as the coordinator knows. */
    private void beginStable(final int... partitions)
    {
        beginJoined(partitions);
        for (final int partition : partitions)
        {
            member.own(partition);
        }
        member.reconciled();
        send();
        assertTrue(answer(1, null));
        assertEquals(GroupState.STABLE, member.state());
    }

    private void time(final long ms)
    {
        nowNs.set(TimeUnit.MILLISECONDS.toNanos(ms));
        clock.update();
    }

    private long dueMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(member.dueNs());
    }

    private boolean isDue()
    {
        return protocol.isDue(clock.nowNs());
    }

    /** Encodes a heartbeat, and returns its form, its epoch and its partitions. */
    private String send()
    {
        sent = exchange.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        final String form = sent.memberEpoch() < 0 ? "leave" : sent.memberEpoch() == 0 ? "join" :
            sent.rebalanceTimeoutMs() >= 0 ? "full" : sent.topicPartitions() == null ? "keepalive" : "owned";
        return form + " " + sent.memberEpoch() + (sent.topicPartitions() == null ? "" :
            " " + sent.topicPartitions().stream().flatMap((each) -> each.partitions().stream()).toList());
    }

    private static ConsumerGroupHeartbeatResponseData response(final int epoch, final int[] partitions)
    {
        return response(epoch, TOPIC_ID, partitions);
    }

    private static ConsumerGroupHeartbeatResponseData response(
        final int epoch, final Uuid topicId, final int[] partitions)
    {
        final ConsumerGroupHeartbeatResponseData data = new ConsumerGroupHeartbeatResponseData()
            .setMemberEpoch(epoch).setHeartbeatIntervalMs(INTERVAL_MS);
        return partitions == null ? data : data.setAssignment(new Assignment().setTopicPartitions(
            partitions.length == 0 ? List.of() : List.of(new TopicPartitions().setTopicId(topicId)
                .setPartitions(Arrays.stream(partitions).boxed().toList()))));
    }

    private boolean answer(final int epoch, final int[] partitions)
    {
        return exchange.answer(protocol, response(epoch, partitions));
    }

    private boolean refuse(final int code)
    {
        return exchange.answer(protocol,
            new ConsumerGroupHeartbeatResponseData().setErrorCode((short)code).setErrorMessage("words"));
    }

    @Test
    void shouldJoinWhenTheTopicIsKnown()
    {
        settings.group = new Settings.Group("group");
        final Environment environment = new Environment(settings, null, clock, null, counters, null, null);
        final GroupMember early = new GroupMember(topic, table, environment);
        assertFalse(new ConsumerProtocol(early, topic, environment).canSend());

        begin();

        assertTrue(protocol.canSend() && isDue());
        assertEquals("join 0 []", send());
        assertEquals(60_000, sent.rebalanceTimeoutMs());
        assertEquals(List.of("topic"), sent.subscribedTopicNames());
        assertTrue(member.hasJoined());
        member.reconciled();
        assertTrue(member.isAcknowledged());
        assertEquals(1, counters.get(ConsumerCounters.HEARTBEATS));
    }

    @Test
    void shouldAcknowledgeAtOnceWhatItHasTaken()
    {
        beginJoined(0, 2);
        assertEquals(GroupState.RECONCILING, member.state());
        assertFalse(isDue());

        member.own(0);
        member.own(2);
        assertTrue(isDue());
        assertEquals("owned 1 [0, 2]", send());
        assertTrue(answer(1, null));

        assertEquals(GroupState.STABLE, member.state());
        assertFalse(isDue());
        assertEquals("keepalive 1", send());
    }

    @Test
    void shouldAcknowledgeAnAssignmentForWhichNothingHadToChange()
    {
        beginStable(0);
        answer(2, new int[] {0, 1});
        assertEquals(GroupState.RECONCILING, member.state());
        answer(3, new int[] {0});

        member.reconciled();

        assertTrue(isDue());
        assertEquals("owned 3 [0]", send());
        member.reconciled();
        answer(3, null);
        assertFalse(isDue());
    }

    @Test
    void shouldBeStableOnlyWhenTheCoordinatorKnowsAllThatWasTaken()
    {
        beginJoined(0, 1);
        member.own(0);
        send();
        member.own(1);
        assertTrue(answer(1, null));
        assertEquals(GroupState.RECONCILING, member.state());

        send();
        assertTrue(answer(1, null));
        assertEquals(GroupState.STABLE, member.state());

        send();
        assertTrue(answer(2, new int[] {0}));
        assertEquals(GroupState.RECONCILING, member.state());
        send();
        assertTrue(answer(2, null));
        assertEquals(GroupState.RECONCILING, member.state());
        member.disown(1);
        assertEquals("owned 2 [0]", send());
        assertTrue(answer(2, null));
        assertEquals(GroupState.STABLE, member.state());
    }

    /** The interval is half a second for two intervals after a change, then a part of the interval, then all of it. */
    @Test
    void shouldSendHeartbeatsSoonAfterAChange()
    {
        beginStable(0);
        assertEquals(500, dueMs());
        time(7_999);
        send();
        answer(1, null);
        assertEquals(8_499, dueMs());
        time(8_000);
        send();
        answer(1, null);
        // The random number is 0.5, of which the smallest part is a tenth.
        assertEquals(8_000 + INTERVAL_MS * 55 / 100, dueMs());
        time(20_000);
        send();
        answer(1, null);
        assertEquals(20_000 + INTERVAL_MS, dueMs());

        send();
        answer(1, new int[] {0});
        assertEquals(20_000 + INTERVAL_MS, dueMs());
        send();
        answer(2, new int[] {0, 1});
        assertEquals(20_500, dueMs());
    }

    @ParameterizedTest
    @CsvSource({"0, 4000", "3000, 3000", "9000, 4000"})
    void shouldSendHeartbeatsAtLeastAsOftenAsTheBrokerDemands(final int set, final int expected)
    {
        settings.group = new Settings.Group("group");
        settings.group.heartbeatIntervalMs = set;
        beginStable(0);
        for (int i = 0; i < 2; i++)
        {
            time(20_000);
            send();
            answer(1, null);
        }
        assertEquals(20_000 + expected, dueMs());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldKeepTheLastIntervalWithoutAValidOne(final int intervalMs)
    {
        beginStable(0);
        for (int i = 0; i < 2; i++)
        {
            time(20_000);
            send();
            exchange.answer(protocol, response(1, null).setHeartbeatIntervalMs(intervalMs));
        }
        assertEquals(20_000 + INTERVAL_MS, dueMs());
        assertEquals(TimeUnit.MILLISECONDS.toNanos(8 * INTERVAL_MS), member.fenceNs());
    }

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
        assertFalse(member.isOwned(0) || member.isTarget(0));
        assertTrue(isDue());
        assertEquals("join 0 []", send());
    }

    @Test
    void shouldSendEverythingAfterAnErrorAndWhenTheAnswerWasLost()
    {
        beginStable(0, 1);
        time(100);
        send();
        assertFalse(refuse(14));
        assertTrue(isDue());
        assertEquals("full 1 [0, 1]", send());
        answer(1, new int[] {0, 1});
        assertFalse(isDue());

        send();
        protocol.onLost();

        assertTrue(isDue());
        assertEquals("full 1 [0, 1]", send());
        assertEquals(2, counters.get(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldNotBelieveAnEpochThatNoMemberHas(final int epoch)
    {
        beginStable(0);
        send();
        assertFalse(answer(epoch, null));
        assertEquals(1, member.epoch());
        assertEquals("full 1 [0]", send());
    }

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
        member.fail((short)42);
        member.leave();
        assertEquals(GroupState.FAILED, member.state());
    }

    @Test
    void shouldKeepTheInstanceIdOfAStaticMemberThatLeaves()
    {
        settings.group = new Settings.Group("group");
        settings.group.instanceId = "static";
        beginStable(0);
        member.leave();
        assertEquals("leave -2", send());
        assertEquals("static", sent.instanceId());
    }

    /** It leaves for good first, or else its old membership would last until the session expires. */
    @Test
    void shouldLeaveFirstIfTheCoordinatorKnowsItUnderAnotherEpoch()
    {
        settings.group = new Settings.Group("group");
        settings.group.instanceId = "static";
        begin();
        send();
        assertFalse(refuse(FENCED_MEMBER_EPOCH));

        assertEquals("leave -1", send());
        assertTrue(refuse(0));

        assertEquals(GroupState.JOINING, member.state());
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
        assertNotNull(member.takeReport());
        assertNull(member.takeReport());
    }

    @Test
    void shouldAskForMetadataAndTheAssignmentAgainForAnUnknownTopicId()
    {
        beginStable(0, 1);
        send();
        assertTrue(exchange.answer(protocol, response(2, OTHER_ID, new int[] {2})));

        assertTrue(table.takeMetadataRequested());
        assertTrue(member.isTarget(0) && member.isTarget(1));
        assertEquals(1, counters.get(ConsumerCounters.REBALANCES));
        assertEquals("full 2 [0, 1]", send());

        assertTrue(answer(2, new int[0]));
        assertFalse(member.isTarget(0) || member.isTarget(1));
        assertFalse(table.takeMetadataRequested());
        assertEquals(2, counters.get(ConsumerCounters.REBALANCES));
    }

    @Test
    void shouldIgnorePartitionsThatNoTopicCanHave()
    {
        beginJoined(-1, WireLimits.MAX_PARTITIONS, 1, 1);
        assertEquals(2, member.capacity());
        assertTrue(member.isTarget(1));
        assertFalse(member.isTarget(0) || member.isTarget(2));
    }

    @Test
    void shouldCountNoRebalanceForTheSameAssignment()
    {
        beginStable(0);
        final int changes = member.targetChanges();
        send();
        answer(1, new int[] {0});
        assertEquals(changes, member.targetChanges());
        assertEquals(1, counters.get(ConsumerCounters.REBALANCES));
    }

    @Test
    void shouldChangeNothingIfAnAnswerIsCutOff()
    {
        beginStable(0);
        send();
        final byte[] whole = exchange.bytes(response(2, new int[] {0, 1}));
        for (int length = 0; length < whole.length; length++)
        {
            final byte[] part = Arrays.copyOf(whole, length);
            assertThrows(WireFormatException.class, () -> exchange.answer(protocol, part));
            assertEquals(1, member.epoch());
            assertFalse(member.isTarget(1));
        }
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
    void shouldHeartbeatAtOnceWhenTheLastPartitionIsGivenUp()
    {
        beginStable(0, 1);
        time(100);
        member.disown(0);
        assertEquals(500, dueMs());
        member.disown(1);
        assertEquals(100, dueMs());
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
        settings.group = new Settings.Group("group");
        settings.group.protocol = set;
        begin();
        if (hasJoined)
        {
            send();
            answer(1, null);
        }

        member.fail((short)code);

        assertEquals(isClassic, member.isClassic());
        assertEquals(isClassic ? GroupState.JOINING : GroupState.FAILED, member.state());
        member.failUnsupported(ApiKey.JOIN_GROUP);
        assertEquals(GroupState.FAILED, member.state());
        assertEquals(UNSUPPORTED_VERSION, member.errorCode());
    }

    @Test
    void shouldUseTheIdAndTheProtocolThatAreSet()
    {
        settings.group = new Settings.Group("group");
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

        settings.group.protocol = GroupProtocol.AUTO;
        begin();
        member.failUnsupported(ApiKey.CONSUMER_GROUP_HEARTBEAT);
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
    void shouldTakeWhatIsItsOwnBesideAnUnknownTopicId()
    {
        beginStable(0);
        send();
        final ConsumerGroupHeartbeatResponseData data = response(2, new int[] {0, 1});
        data.assignment().setTopicPartitions(List.of(data.assignment().topicPartitions().get(0),
            new TopicPartitions().setTopicId(OTHER_ID).setPartitions(List.of(2))));
        assertTrue(exchange.answer(protocol, data));
        assertTrue(member.isTarget(0) && member.isTarget(1));
        assertFalse(member.isTarget(2));
        assertTrue(table.takeMetadataRequested());
        assertEquals("full 2 [0]", send());
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
    void shouldSendHeartbeatsSoonAfterItHasJoined()
    {
        begin();
        time(20_000);
        send();
        assertTrue(answer(1, null));
        assertEquals(GroupState.STABLE, member.state());
        assertEquals(20_500, dueMs());
        assertEquals(1, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
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
}
