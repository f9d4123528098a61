// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.TopicPartitions;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.cluster.Brokers;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.core.Start;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.ScriptedCoordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests each step in which partitions are taken and given up, without a connection, at exact times. */
class GroupReconciliationTest
{
    private static final Uuid TOPIC_ID = new Uuid(1, 2);
    private static final int FIRST_OFFSET = 10;
    /** Its first offset is never found. */
    private static final int STARTING = 3;
    private static final long FAR_NS = Long.MAX_VALUE / 2;

    private final AtomicLong nowNs = new AtomicLong();
    private final DutyClock clock = new DutyClock(nowNs::get, () -> 1);
    private final Settings settings = new Settings();
    private final CounterWriter counters = new CounterWriter();
    private final TopicIdentity topic = new TopicIdentity("topic");
    private final PartitionTable table = new PartitionTable(settings);
    private final RequestExchange heartbeats = new RequestExchange(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
    private final RequestExchange offsets = new RequestExchange(ApiMessageType.OFFSET_COMMIT, 7);
    private final List<String> events = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private final List<String> reasons = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private final AtomicBoolean isDone = new AtomicBoolean(true);
    private OffsetCommitRequestData sentCommit;
    private GroupCoordinator coordinator;
    private GroupReconciliation reconciliation;
    private GroupMember member;
    private ConsumerProtocol protocol;

    private final class Listener implements ConsumerListener
    {
        @Override
        public void onPartitionAssigned(final int partition, final long nextOffset)
        {
            events.add("assigned " + partition + " at " + nextOffset);
        }

        @Override
        public void onPartitionRevoked(final int partition, final long committedOffset)
        {
            events.add("revoked " + partition + " at " + committedOffset);
        }

        @Override
        public void onPartitionLost(final int partition, final long nextOffset)
        {
            events.add("lost " + partition + " at " + nextOffset);
        }

        @Override
        public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
        {
            events.add(state + " " + memberEpoch);
            reasons.add(reason);
        }

        @Override
        public void onDeliveryFenced(final long unconfirmedNs)
        {
            events.add("fenced after " + TimeUnit.NANOSECONDS.toMillis(unconfirmedNs));
        }

        @Override
        public void onDeliveryUnfenced(final long fencedNs)
        {
            events.add("unfenced after " + TimeUnit.NANOSECONDS.toMillis(fencedNs));
        }
    }

    @AfterEach
    void free()
    {
        coordinator.free();
    }

    /** Begins with commits every 5 s, or none. */
    private void begin(final int commitIntervalMs)
    {
        settings.group = new Settings.Group("group");
        settings.group.commitIntervalMs = commitIntervalMs;
        settings.group.fenceAfterMs = Integer.MAX_VALUE;
        settings.group.revocationHandler = (partition, nextOffset, remainingNs) ->
        {
            asked.add(partition + " at " + nextOffset + " for " + TimeUnit.NANOSECONDS.toMillis(remainingNs));
            return isDone.get();
        };
        settings.receiveBufferMaxLength = 1 << 20;
        for (int p = 0; p < STARTING; p++)
        {
            settings.startPositions.put(p, Start.offset(FIRST_OFFSET + p, -1));
        }
        final Environment environment = new Environment(settings, null, clock,
            new MemoryBudget(1 << 24, (bytes) -> {}), counters, new Listener(),
            (error) -> errors.add(error.getMessage()));
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        table.ensureCapacity(STARTING + 1);
        coordinator = new GroupCoordinator(
            "group", topic, table, new Brokers(new BrokerAddress[0], environment), environment);
        reconciliation = new GroupReconciliation(
            coordinator, new PartitionAssignment(table, null, environment, (groupId) -> null), table, environment);
        member = reconciliation.member();
        protocol = new ConsumerProtocol(member, topic, environment);
    }

    /** Begins with partitions that are owned, as the coordinator knows. */
    private void beginOwning(final int commitIntervalMs, final int... partitions)
    {
        begin(commitIntervalMs);
        assign(1, partitions);
        cycle(0);
        cycle(0);
        heartbeat();
        cycle(0);
        events.clear();
    }

    private void assign(final int epoch, final int... partitions)
    {
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, response(epoch).setAssignment(new Assignment().setTopicPartitions(
            partitions.length == 0 ? List.of() : List.of(new TopicPartitions().setTopicId(TOPIC_ID)
                .setPartitions(Arrays.stream(partitions).boxed().toList())))));
    }

    private void heartbeat()
    {
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, response(member.epoch()));
    }

    private void fence()
    {
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, new ConsumerGroupHeartbeatResponseData().setErrorCode((short)25));
    }

    private static ConsumerGroupHeartbeatResponseData response(final int epoch)
    {
        return new ConsumerGroupHeartbeatResponseData().setMemberEpoch(epoch).setHeartbeatIntervalMs(5_000);
    }

    /** Runs a duty cycle at a time, in milliseconds, and returns its events. */
    private List<String> cycle(final long ms)
    {
        nowNs.set(TimeUnit.MILLISECONDS.toNanos(ms));
        clock.update();
        final int seen = events.size();
        reconciliation.doWork();
        return List.copyOf(events.subList(seen, events.size()));
    }

    private String sendCommit()
    {
        sentCommit = offsets.send(coordinator.commits(), OffsetCommitRequestData::new);
        return ScriptedCoordinator.offsets(sentCommit);
    }

    private void answerCommit(final int code)
    {
        offsets.answer(coordinator.commits(), ScriptedCoordinator.committed(sentCommit, code));
    }

    private int sentEpoch()
    {
        return sentCommit.topics().get(0).partitions().get(0).committedLeaderEpoch();
    }

    private long deadlineMs()
    {
        final long deadlineNs = reconciliation.nextDeadlineNs(FAR_NS);
        return deadlineNs == FAR_NS ? -1 : TimeUnit.NANOSECONDS.toMillis(deadlineNs);
    }

    @Test
    void shouldTakeWhatItIsAssignedAndReportItOnceItsOffsetIsKnown()
    {
        begin(0);
        assertEquals(List.of("JOINING 0"), cycle(0));
        assertEquals(List.of(), cycle(0));
        assertFalse(reconciliation.isStable());
        assign(1, 0, 2, STARTING);
        assertEquals(List.of("RECONCILING 1"), cycle(0));
        assertTrue(table.isAssigned(0) && table.isAssigned(2) && table.isAssigned(STARTING));
        assertFalse(table.isAssigned(1) || reconciliation.isOwned(0) || reconciliation.isRevoking(0));
        assertEquals(3, member.ownedCount());

        assertEquals(List.of("assigned 0 at 10", "assigned 2 at 12"), cycle(0));
        heartbeat();
        assertEquals(List.of("STABLE 1"), cycle(0));
        assertTrue(reconciliation.isOwned(0) && reconciliation.isOwned(2));
        assertFalse(reconciliation.isOwned(1) || reconciliation.isOwned(STARTING));
        assertFalse(reconciliation.isOwned(-1) || reconciliation.isOwned(99) || reconciliation.isRevoking(99));
        assertFalse(reconciliation.isStable());

        table.seek(STARTING, 7);
        assertEquals(List.of("assigned 3 at 7"), cycle(0));
        assertTrue(reconciliation.isStable());
        assertEquals(3, counters.get(ConsumerCounters.PARTITIONS_ASSIGNED));
        assertEquals(-1, deadlineMs());
    }

    @Test
    void shouldCommitWhatItGivesUpBeforeItIsRevoked()
    {
        beginOwning(60_000, 0, 1);
        table.seek(1, 15, 4);
        assign(2, 0, 2);
        assertEquals(List.of("RECONCILING 2"), cycle(0));
        assertFalse(table.isAssigned(1) || table.isAssigned(2));
        assertTrue(reconciliation.isOwned(1) && reconciliation.isRevoking(1));
        assertFalse(reconciliation.isRevoking(0) || reconciliation.isStable());
        assertEquals(15, reconciliation.nextOffset(1));
        assertEquals(4, reconciliation.offsetEpoch(1));
        assertEquals(45_000, deadlineMs());
        assertEquals("{1=15}", sendCommit());
        assertEquals(4, sentEpoch());
        assertEquals(List.of(), cycle(1));

        answerCommit(0);
        assertEquals(List.of("revoked 1 at 15"), cycle(2));
        assertFalse(reconciliation.isOwned(1));
        assertTrue(table.isAssigned(2));
        assertEquals(1, counters.get(ConsumerCounters.PARTITIONS_REVOKED));
        assertEquals(List.of("1 at 15 for 30000"), asked);
        assertEquals(List.of(), errors);
        assertEquals(List.of("assigned 2 at 12"), cycle(3));
        assertFalse(reconciliation.isStable());
        heartbeat();
        assertTrue(reconciliation.isStable());
    }

    @Test
    void shouldCommitNothingByItselfWithoutThePolicy()
    {
        beginOwning(0, 0, 1);
        table.seek(1, 15, 4);
        assign(2, 0);
        assertEquals(List.of("RECONCILING 2", "revoked 1 at -1"), cycle(0));
        assertTrue(coordinator.commits().isIdle());
        cycle(100_000);
        assertTrue(coordinator.commits().isIdle());
    }

    @Test
    void shouldAskTheHandlerUntilHalfOfTheTimeHasPassed()
    {
        beginOwning(0, 0);
        isDone.set(false);
        assign(2);
        cycle(0);
        assertEquals(10, deadlineMs());
        cycle(29_999);
        assertEquals(0, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertTrue(reconciliation.isRevoking(0));

        assertEquals(List.of("revoked 0 at -1"), cycle(30_000));

        assertEquals(List.of("0 at 10 for 30000", "0 at 10 for 1", "0 at 10 for 0"), asked);
        assertEquals(1, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertTrue(errors.get(0).contains("not done in time with partition 0 up to offset 10"), errors::toString);
        assertFalse(reconciliation.isOwned(0));
    }

    /** What the last call takes care of is in time. */
    @Test
    void shouldReportNothingIfTheHandlerIsDoneWithItsLastCall()
    {
        beginOwning(0, 0);
        isDone.set(false);
        assign(2);
        cycle(0);
        isDone.set(true);
        assertEquals(List.of("revoked 0 at -1"), cycle(31_000));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldGiveUpACommitAfterThreeQuartersOfTheTime()
    {
        beginOwning(60_000, 0);
        assign(2);
        cycle(0);
        sendCommit();
        assertEquals(List.of(), cycle(44_999));

        assertEquals(List.of("revoked 0 at -1"), cycle(45_000));

        assertTrue(errors.get(0).contains("Offset 10 of partition 0 could not be committed"), errors::toString);
        assertEquals(1, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertTrue(coordinator.commits().isIdle());
    }

    /** The coordinator's time has begun before the answer is handled, and begins anew with another assignment. */
    @Test
    void shouldCountTheTimeFromTheConfirmationOn()
    {
        beginOwning(0, 0, 1);
        isDone.set(false);
        assign(2, 0);
        cycle(20_000);
        cycle(30_000);
        assign(3);
        cycle(30_000);
        cycle(100_000);
        assertEquals(List.of("1 at 11 for 20000", "1 at 11 for 10000", "0 at 10 for 30000", "1 at 11 for 30000",
            "0 at 10 for 0", "1 at 11 for 0"), asked);
    }

    /** It never was this member's to read. */
    @Test
    void shouldGiveUpAtOnceAPartitionThatHasNotStarted()
    {
        beginOwning(60_000, STARTING);
        assign(2);
        assertEquals(List.of("RECONCILING 2"), cycle(0));
        assertFalse(table.isAssigned(STARTING));
        assertEquals(0, member.ownedCount());
        assertEquals(List.of(), asked);
        heartbeat();
        assertEquals(List.of("STABLE 2"), cycle(0));
        assertTrue(reconciliation.isStable());
        assertTrue(coordinator.commits().isIdle());
        assertEquals(0, counters.get(ConsumerCounters.PARTITIONS_REVOKED));
    }

    @Test
    void shouldLoseEverythingWhenItIsFenced()
    {
        beginOwning(60_000, 0, 1, STARTING);
        reconciliation.commitOwned(0, 10);
        sendCommit();
        answerCommit(0);
        isDone.set(false);
        table.seek(1, 15);
        assign(2, 0, STARTING);
        cycle(0);
        table.seek(0, 12);
        reconciliation.commitOwned(0, 12);
        fence();

        assertEquals(List.of("FENCED 0", "lost 0 at 12", "lost 1 at 15", "JOINING 0"), cycle(0));

        assertFalse(table.isAssigned(0) || table.isAssigned(1) || table.isAssigned(STARTING));
        assertTrue(coordinator.commits().isIdle());
        assertEquals(-1, coordinator.commits().committedOffset(0));
        assertEquals(2, counters.get(ConsumerCounters.PARTITIONS_LOST));
        assertEquals(0, member.ownedCount());
        assertEquals(List.of(), cycle(0));
        assign(3);
        cycle(0);
        assertTrue(reconciliation.isStable());
    }

    @Test
    void shouldLoseEverythingOfATopicThatWasCreatedAgain()
    {
        beginOwning(0, 0);
        topic.id(3, 4);

        assertEquals(List.of("lost 0 at 10"), cycle(0));

        assertEquals(GroupState.STABLE, member.state());
        assertTrue(member.isTargetLost());
        assertEquals(List.of(), cycle(0));
    }

    @Test
    void shouldCommitWhatIsDeliveredEachInterval()
    {
        beginOwning(5_000, 0, STARTING);
        cycle(4_999);
        assertTrue(coordinator.commits().isIdle());
        cycle(5_000);
        assertEquals("{0=10}", sendCommit());
        answerCommit(0);
        table.seek(0, 11, 4);
        cycle(9_999);
        assertTrue(coordinator.commits().isIdle());
        cycle(10_000);
        assertEquals("{0=11}", sendCommit());
        assertEquals(4, sentEpoch());
        answerCommit(0);
        cycle(15_000);
        assertTrue(coordinator.commits().isIdle());
    }

    /** An empty interval does not wake the consumer, but records do. */
    @Test
    void shouldWakeForACommitOnlyAfterRecords()
    {
        beginOwning(5_000, 0);
        cycle(5_000);
        assertEquals(-1, deadlineMs());

        counters.add(ConsumerCounters.RECORDS, 1);

        assertEquals(10_000, deadlineMs());
        assertEquals(TimeUnit.SECONDS.toNanos(9), reconciliation.nextDeadlineNs(TimeUnit.SECONDS.toNanos(9)));
    }

    @Test
    void shouldWakeAtOnceForAnAssignmentThatACallbackHasReceived()
    {
        beginOwning(0, 0);
        nowNs.set(7_000_000);
        clock.update();
        assign(2, 0, 1);
        assertEquals(7, deadlineMs());
        cycle(8);
        assign(3, 0);
        assertEquals(8, deadlineMs());
    }

    /** The epoch is that of the record before the next offset, and no other is known. */
    @Test
    void shouldCommitAnyOffsetOfAPartitionItOwns()
    {
        beginOwning(0, 0, 1, STARTING);
        table.seek(0, 15, 4);
        assertTrue(reconciliation.commitOwned(0, 15));
        sendCommit();
        assertEquals(4, sentEpoch());
        assertTrue(reconciliation.commitOwned(0, 14));
        assertEquals("{0=14}", sendCommit());
        assertEquals(-1, sentEpoch());
        assertFalse(reconciliation.commitOwned(2, 5));
        assertFalse(reconciliation.commitOwned(STARTING, 5));

        isDone.set(false);
        table.seek(1, 25, 5);
        assign(2, 0, STARTING);
        cycle(0);
        answerCommit(0);
        assertTrue(reconciliation.commitOwned(1, 25));
        assertEquals("{1=25}", sendCommit());
        assertEquals(5, sentEpoch());
        assertTrue(reconciliation.commitOwned(1, 24));
        sendCommit();
        assertEquals(-1, sentEpoch());
    }

    @Test
    void shouldAskAgainAboutAnOffsetThatIsSoughtWhileItGivesUp()
    {
        beginOwning(60_000, 0);
        table.seek(0, 15, 4);
        assign(2);
        cycle(0);
        reconciliation.seek(0, 11);
        assertEquals(-1, reconciliation.offsetEpoch(0));
        cycle(0);
        assertEquals(List.of("0 at 15 for 30000", "0 at 11 for 30000"), asked);
        assertEquals("{0=11}", sendCommit());
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 11"), cycle(0));
    }

    @Test
    void shouldFenceDeliveryOfWhatItOwnsUntilAHeartbeatIsConfirmed()
    {
        begin(0);
        settings.group.fenceAfterMs = 10_000;
        assign(1);
        assertEquals(List.of("STABLE 1"), cycle(0).stream().filter((event) -> !event.contains("JOINING")).toList());
        assertEquals(List.of(), cycle(20_000));
        assertTrue(table.isFenced(clock.nowNs()));
        assign(2, 0);
        cycle(20_000);
        cycle(20_000);
        heartbeat();
        cycle(30_000);
        assertFalse(table.isFenced(clock.nowNs()));

        assertEquals(List.of("fenced after 10001"), cycle(30_001));
        assertEquals(List.of(), cycle(30_002));
        heartbeat();
        assertEquals(List.of("unfenced after 2"), cycle(30_003));
        assertEquals(List.of(), cycle(30_004));
        assertEquals(1, counters.get(ConsumerCounters.FENCES));
    }

    /** Another member may have the partition, so it is lost unless the membership is confirmed in time. */
    @Test
    void shouldLoseWhatItGivesUpWhileItsMembershipIsNotConfirmed()
    {
        beginOwning(0, 0, 1);
        settings.group.fenceAfterMs = 10_000;
        assign(2, 0);
        // The answer was handled late.
        assertEquals(List.of(), cycle(12_000).stream().filter((event) -> event.contains(" 1 ")).toList());
        assertTrue(reconciliation.isRevoking(1));
        assertEquals(List.of(), cycle(47_999).stream().filter((event) -> event.contains(" 1 ")).toList());
        assertEquals(List.of("lost 1 at 11"), cycle(48_000).stream().filter((event) -> event.contains(" 1 ")).toList());
        assertEquals(0, counters.get(ConsumerCounters.PARTITIONS_REVOKED));
        assertEquals(1, counters.get(ConsumerCounters.PARTITIONS_LOST));
    }

    @Test
    void shouldGiveEverythingUpBeforeItLeaves()
    {
        beginOwning(60_000, 0, 1, STARTING);
        reconciliation.commitOwned(1, 11);
        sendCommit();
        answerCommit(0);
        table.seek(0, 15);
        nowNs.set(TimeUnit.SECONDS.toNanos(100));
        reconciliation.leave(TimeUnit.SECONDS.toNanos(4));
        reconciliation.leave(TimeUnit.SECONDS.toNanos(40));

        assertEquals(List.of("revoked 1 at 11"), cycle(100_000));

        assertEquals(List.of("0 at 15 for 2000", "1 at 11 for 2000"), asked);
        assertFalse(member.isLeaving());
        assertEquals("{0=15}", sendCommit());
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 15"), cycle(100_001));
        assertTrue(member.isLeaving());
        assertEquals(0, member.ownedCount());
        assign(2, 0);
        cycle(100_002);
        assertEquals(0, member.ownedCount());
    }

    @Test
    void shouldLeaveWithinTheRevocationTimeoutAtMost()
    {
        beginOwning(0, 0);
        isDone.set(false);
        reconciliation.leave(TimeUnit.HOURS.toNanos(1));
        cycle(0);
        assertEquals(List.of("0 at 10 for 30000"), asked);
    }

    @Test
    void shouldReportALeaveOfAMemberThatHasNotJoined()
    {
        begin(0);
        reconciliation.leave(1);
        assertEquals(List.of("JOINING 0", "LEFT 0"), cycle(0));
        assertEquals("Has not joined the group, and ends.", reasons.get(1));
        assertEquals(List.of(), cycle(1));
    }

    @Test
    void shouldLoseEverythingWhenItFails()
    {
        beginOwning(0, 0);
        member.fail((short)42);
        assertEquals(List.of("FAILED 0", "lost 0 at 10"), cycle(0));
        assertEquals(GroupState.FAILED, member.state());
        assertEquals(List.of(), cycle(0));
        assertFalse(reconciliation.commitOwned(0, 10));
    }

    @Test
    void shouldGiveAPartitionUpWhoseHandlerThrows()
    {
        beginOwning(0, 0);
        settings.group.revocationHandler = (partition, nextOffset, remainingNs) ->
        {
            throw new IllegalStateException("planted");
        };
        assign(2);
        assertEquals(List.of("RECONCILING 2", "revoked 0 at -1"), cycle(0));
        assertTrue(errors.get(0).contains("planted for partition 0"), errors::toString);
        assertEquals(0, counters.get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
    }

    /** A close waits no longer because the group divides its partitions again. */
    @Test
    void shouldLeaveWithinItsTimeAlthoughTheAssignmentChanges()
    {
        beginOwning(0, 0);
        isDone.set(false);
        reconciliation.leave(TimeUnit.SECONDS.toNanos(4));
        assertFalse(reconciliation.isStable());
        cycle(1_000);
        assign(2, 0, 1);
        cycle(1_500);
        assign(3, 0);
        assign(3, 0, 1, 2);
        assertEquals(1_510, deadlineMs());
        assertEquals(List.of("0 at 10 for 1000", "0 at 10 for 500"), asked);
        cycle(2_000);
        assertTrue(member.isLeaving());
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, response(-1));
        assertEquals(List.of("LEFT 0"), cycle(2_001));
        assertEquals("Has left the group.", reasons.get(reasons.size() - 1));
    }

    @Test
    void shouldWakeAtOnceWhenACallbackHasLearntThatItWasRemoved()
    {
        beginOwning(0, 0);
        nowNs.set(7_000_000);
        clock.update();
        fence();
        assertEquals(7, deadlineMs());
    }

    @Test
    void shouldWakeForNoCommitWhileItOwnsNothing()
    {
        begin(5_000);
        cycle(0);
        counters.add(ConsumerCounters.RECORDS, 1);
        assertEquals(-1, deadlineMs());
    }

    /** Without a fence of its own, eight intervals; with 0 none. */
    @Test
    void shouldFenceDeliveryAfterEightIntervalsUnlessSet()
    {
        beginOwning(0, 0);
        settings.group.fenceAfterMs = Settings.Group.FENCE_AFTER_INTERVALS;
        assertEquals(List.of(), cycle(40_000));
        assertEquals(List.of("fenced after 40001"), cycle(40_001));
    }

    @Test
    void shouldNeverFenceDeliveryIfThatIsSet()
    {
        begin(0);
        settings.group.fenceAfterMs = 0;
        assign(1, 0);
        cycle(0);
        cycle(0);
        cycle(1_000_000);
        assertFalse(table.isFenced(clock.nowNs()));
        assertEquals(0, counters.get(ConsumerCounters.FENCES));
    }

    @Test
    void shouldGiveUpFirstWhatItIsAssignedAgainMeanwhile()
    {
        beginOwning(60_000, 0);
        isDone.set(false);
        assign(2);
        cycle(0);
        assign(3, 0);
        cycle(0);
        assertTrue(reconciliation.isRevoking(0));
        isDone.set(true);
        cycle(0);
        sendCommit();
        answerCommit(0);
        assertEquals(List.of("revoked 0 at 10"), cycle(0));
        assertTrue(table.isAssigned(0));
        // Another member may have committed since: what is known is of no use.
        assertEquals(-1, coordinator.commits().committedOffset(0));
        assertEquals(List.of("assigned 0 at 10"), cycle(0));
    }

    @Test
    void shouldAcknowledgeAnAssignmentForWhichNothingHadToChange()
    {
        beginOwning(0, 0);
        assign(2, 0, 1);
        assign(3, 0);
        assertTrue(member.isAcknowledged());
        cycle(0);
        assertFalse(member.isAcknowledged());
        assertEquals(1, member.ownedCount());
    }
}
