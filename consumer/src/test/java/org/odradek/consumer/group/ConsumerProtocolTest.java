// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.TopicPartitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests the heartbeats of a member, what it makes of their answers, and when the next one is due. */
class ConsumerProtocolTest extends MemberFixture
{
    @Test
    void shouldJoinWhenTheTopicIsKnown()
    {
        settings.group = new ConsumerSettings.Group("group");
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

    /** Else delivery would be fenced before each heartbeat: without a setting the fence is at most 40 s. */
    @Test
    void shouldSendTwoHeartbeatsBeforeTheFenceWhateverTheIntervalOfTheBroker()
    {
        beginStable(0);
        for (int i = 0; i < 2; i++)
        {
            time(200_000L * i);
            send();
            exchange.answer(protocol, response(1, null).setHeartbeatIntervalMs(50_000));
        }
        time(400_000);
        send();
        exchange.answer(protocol, response(1, null).setHeartbeatIntervalMs(50_000));

        assertEquals(400_000 + 20_000, dueMs());
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
        settings.group = new ConsumerSettings.Group("group");
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
    void shouldAskForMetadataAndTheAssignmentAgainForAnUnknownTopicId()
    {
        beginStable(0, 1);
        send();
        assertTrue(exchange.answer(protocol, response(2, OTHER_ID, new int[] {2})));

        assertNotEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        assertTrue(member.isTarget(0) && member.isTarget(1));
        assertEquals(1, counters.get(ConsumerCounters.REBALANCES));
        assertEquals("full 2 [0, 1]", send());

        assertTrue(answer(2, new int[0]));
        assertFalse(member.isTarget(0) || member.isTarget(1));
        assertEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
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
    void shouldHeartbeatAtOnceWhenTheLastPartitionIsGivenUp()
    {
        beginStable(0, 1);
        time(100);
        member.disown(0);
        assertEquals(500, dueMs());
        member.disown(1);
        assertEquals(100, dueMs());
    }

    /** Its partitions are given up although they are assigned. */
    @Test
    void shouldBeStableUntilItHasLeft()
    {
        beginStable(0, 1);
        send();
        member.disown(0);
        assertTrue(answer(1, null));
        assertEquals(GroupState.STABLE, member.state());

        member.disown(1);
        member.leave();
        assertEquals("leave -1", send());
        assertTrue(answer(-1, null));
        assertEquals(GroupState.LEFT, member.state());
        assertEquals(0, counters.get(ConsumerCounters.LAST_HEARTBEAT_MS));
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
        assertNotEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        assertEquals("full 2 [0]", send());
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

    /** Else delivery would be fenced between two heartbeats. */
    @Test
    void shouldSendHeartbeatsMoreOftenThanItsFence()
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.fenceAfterMs = 2_000;
        begin();
        time(20_000);
        send();
        assertTrue(answer(1, null));
        time(60_000);
        send();
        assertTrue(answer(1, null));
        time(80_000);
        send();
        assertTrue(answer(1, null));

        assertEquals(81_000, dueMs());
    }
}
