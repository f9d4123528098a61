// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.TopicPartitions;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.GroupState;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A member of a consumer group, whose heartbeats are read and answered without a connection. */
abstract class MemberFixture
{
    static final Uuid TOPIC_ID = new Uuid(1, 2);
    static final Uuid OTHER_ID = new Uuid(3, 4);
    static final int INTERVAL_MS = 4_000;
    static final int UNKNOWN_MEMBER_ID = 25;
    static final int UNSUPPORTED_VERSION = 35;
    static final int FENCED_MEMBER_EPOCH = 110;
    static final int UNRELEASED_INSTANCE_ID = 111;

    final AtomicLong nowNs = new AtomicLong();
    final DutyClock clock = new DutyClock(nowNs::get, () -> 1);
    final ConsumerSettings settings = new ConsumerSettings();
    final CounterWriter counters = new CounterWriter();
    final TopicIdentity topic = new TopicIdentity("topic");
    final PartitionTable table = new PartitionTable(settings);
    final RequestExchange exchange = new RequestExchange(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
    GroupMember member;
    ConsumerProtocol protocol;
    ConsumerGroupHeartbeatRequestData sent;

    /** Begins a member that knows the topic. */
    void begin()
    {
        settings.group = settings.group == null ? new ConsumerSettings.Group("group") : settings.group;
        settings.random = () -> Long.MIN_VALUE;
        final Environment environment = new Environment(settings, null, clock, null, counters, null, null);
        member = new GroupMember(topic, table, environment);
        protocol = new ConsumerProtocol(member, topic, environment);
        topic.id(TOPIC_ID.getMostSignificantBits(), TOPIC_ID.getLeastSignificantBits());
        table.ensureCapacity(3);
        table.takeMetadataNeed();
    }

    /** Begins a member that has joined and is assigned partitions, which it has not taken. */
    void beginJoined(final int... partitions)
    {
        begin();
        send();
        assertTrue(answer(1, partitions));
    }

    /** Begins a member that owns what it is assigned, as the coordinator knows. */
    void beginStable(final int... partitions)
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

    void time(final long ms)
    {
        nowNs.set(TimeUnit.MILLISECONDS.toNanos(ms));
        clock.update();
    }

    long dueMs()
    {
        return TimeUnit.NANOSECONDS.toMillis(member.dueNs());
    }

    boolean isDue()
    {
        return protocol.isDue();
    }

    /** Encodes a heartbeat, and returns its form, its epoch and its partitions. */
    String send()
    {
        sent = exchange.send(protocol, ConsumerGroupHeartbeatRequestData::new);
        final String form = sent.memberEpoch() < 0 ? "leave" : sent.memberEpoch() == 0 ? "join" :
            sent.rebalanceTimeoutMs() >= 0 ? "full" : sent.topicPartitions() == null ? "keepalive" : "owned";
        return form + " " + sent.memberEpoch() + (sent.topicPartitions() == null ? "" :
            " " + sent.topicPartitions().stream().flatMap((each) -> each.partitions().stream()).toList());
    }

    static ConsumerGroupHeartbeatResponseData response(final int epoch, final int[] partitions)
    {
        return response(epoch, TOPIC_ID, partitions);
    }

    static ConsumerGroupHeartbeatResponseData response(
        final int epoch, final Uuid topicId, final int[] partitions)
    {
        final ConsumerGroupHeartbeatResponseData data = new ConsumerGroupHeartbeatResponseData()
            .setMemberEpoch(epoch).setHeartbeatIntervalMs(INTERVAL_MS);
        return partitions == null ? data : data.setAssignment(new Assignment().setTopicPartitions(
            partitions.length == 0 ? List.of() : List.of(new TopicPartitions().setTopicId(topicId)
                .setPartitions(Arrays.stream(partitions).boxed().toList()))));
    }

    boolean answer(final int epoch, final int[] partitions)
    {
        return exchange.answer(protocol, response(epoch, partitions));
    }

    boolean refuse(final int code)
    {
        return exchange.answer(protocol,
            new ConsumerGroupHeartbeatResponseData().setErrorCode((short)code).setErrorMessage("words"));
    }
}
