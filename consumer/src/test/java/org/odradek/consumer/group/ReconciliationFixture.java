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
import org.odradek.client.cluster.Brokers;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Start;
import org.odradek.consumer.fetch.PartitionAssignment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.MemoryPoller;
import org.odradek.consumer.support.ScriptedCoordinator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** The partitions of a member of a group, which are taken and given up without a connection, at exact times. */
abstract class ReconciliationFixture
{
    static final Uuid TOPIC_ID = new Uuid(1, 2);
    static final int FIRST_OFFSET = 10;
    /** Its first offset is never found. */
    static final int STARTING = 3;
    static final long FAR_NS = Long.MAX_VALUE / 2;

    final AtomicLong nowNs = new AtomicLong();
    final DutyClock clock = new DutyClock(nowNs::get, () -> 1);
    final ConsumerSettings settings = new ConsumerSettings();
    final CounterWriter counters = new CounterWriter();
    final TopicIdentity topic = new TopicIdentity("topic");
    final PartitionTable table = new PartitionTable(settings);
    final RequestExchange heartbeats = new RequestExchange(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
    final RequestExchange offsets = new RequestExchange(ApiMessageType.OFFSET_COMMIT, 7);
    final List<String> events = new ArrayList<>();
    final List<String> errors = new ArrayList<>();
    final List<String> reasons = new ArrayList<>();
    final List<String> asked = new ArrayList<>();
    /** The next and the committed offset of each partition that was revoked or lost. */
    final List<String> ends = new ArrayList<>();
    final AtomicBoolean isDone = new AtomicBoolean(true);
    /** True if acknowledged offsets are committed. */
    boolean isAcknowledged;
    /** What each callback for a partition takes. */
    long callbackMs;
    /** Runs in each of them. */
    Runnable inCallback = () -> {};
    OffsetCommitRequestData sentCommit;
    GroupCoordinator coordinator;
    GroupReconciliation reconciliation;
    GroupMember member;
    ConsumerProtocol protocol;

    final class Listener implements ConsumerListener
    {
        @Override
        public void onPartitionAssigned(final int partition, final long nextOffset)
        {
            events.add("assigned " + partition + " at " + nextOffset);
            call();
        }

        @Override
        public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
        {
            events.add("revoked " + partition + " at " + committedOffset);
            ends.add(partition + " at " + nextOffset + " committed " + committedOffset);
            call();
        }

        @Override
        public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
        {
            events.add("lost " + partition + " at " + nextOffset);
            ends.add(partition + " at " + nextOffset + " committed " + committedOffset);
            call();
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
    void begin(final int commitIntervalMs)
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.commitIntervalMs = commitIntervalMs;
        settings.group.isAcknowledged = isAcknowledged;
        settings.group.fenceAfterMs = Integer.MAX_VALUE;
        settings.group.revocationHandler = (partition, nextOffset, remainingNs) ->
        {
            asked.add(partition + " at " + nextOffset + " for " + TimeUnit.NANOSECONDS.toMillis(remainingNs));
            call();
            return isDone.get();
        };
        settings.receiveBufferMaxLength = 1 << 20;
        for (int p = 0; p < STARTING; p++)
        {
            settings.startPositions.put(p, Start.offset(FIRST_OFFSET + p, -1));
        }
        final Environment environment = new Environment(settings, new MemoryPoller(null), clock,
            UnlimitedMemory.budget(1 << 24), counters, new Listener(),
            (error) -> errors.add(error.getMessage()));
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        table.ensureCapacity(STARTING + 1);
        coordinator = new GroupCoordinator(
            "group", topic, table, new Brokers(new BrokerAddress[0], environment), environment);
        final PartitionAssignment assignment =
            new PartitionAssignment(table, null, environment, null);
        reconciliation = new GroupReconciliation(coordinator, assignment, table, environment);
        member = reconciliation.member();
        protocol = new ConsumerProtocol(member, topic, environment);
    }

    private void call()
    {
        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(callbackMs));
        inCallback.run();
    }

    /** Begins with partitions that are owned, as the coordinator knows. */
    void beginOwning(final int commitIntervalMs, final int... partitions)
    {
        begin(commitIntervalMs);
        assign(1, partitions);
        cycle(0);
        cycle(0);
        heartbeat();
        cycle(0);
        events.clear();
    }

    void assign(final int epoch, final int... partitions)
    {
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, response(epoch).setAssignment(new Assignment().setTopicPartitions(
            partitions.length == 0 ? List.of() : List.of(new TopicPartitions().setTopicId(TOPIC_ID)
                .setPartitions(Arrays.stream(partitions).boxed().toList())))));
    }

    void heartbeat()
    {
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, response(member.epoch()));
    }

    void fence()
    {
        heartbeats.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        heartbeats.answer(protocol, new ConsumerGroupHeartbeatResponseData().setErrorCode((short)25));
    }

    static ConsumerGroupHeartbeatResponseData response(final int epoch)
    {
        return new ConsumerGroupHeartbeatResponseData().setMemberEpoch(epoch).setHeartbeatIntervalMs(5_000);
    }

    /** Runs a duty cycle at a time, in milliseconds, and returns its events. */
    List<String> cycle(final long ms)
    {
        nowNs.set(TimeUnit.MILLISECONDS.toNanos(ms));
        clock.update();
        final int seen = events.size();
        reconciliation.doWork();
        return List.copyOf(events.subList(seen, events.size()));
    }

    String sendCommit()
    {
        sentCommit = offsets.send(coordinator.commits(), OffsetCommitRequestData::new);
        return ScriptedCoordinator.offsets(sentCommit);
    }

    void answerCommit(final int code)
    {
        offsets.answer(coordinator.commits(), ScriptedCoordinator.committed(sentCommit, code));
    }

    int sentEpoch()
    {
        return sentCommit.topics().get(0).partitions().get(0).committedLeaderEpoch();
    }

    long deadlineMs()
    {
        final long deadlineNs = reconciliation.nextDeadlineNs(FAR_NS);
        return deadlineNs == FAR_NS ? -1 : TimeUnit.NANOSECONDS.toMillis(deadlineNs);
    }
}
