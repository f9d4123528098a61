// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.GroupTopic;
import org.odradek.testkit.EmbeddedBroker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Members of a classic group, on one thread, share a topic of a real broker, with Kafka's consumers too.
 */
class ClassicProtocolIT extends GroupTopic
{
    private static final int PARTITIONS = 5;

    ClassicProtocolIT()
    {
        super(PARTITIONS);
    }

    private GroupSettings settings()
    {
        return new GroupSettings(group).protocol(GroupProtocol.CLASSIC).heartbeatIntervalMs(50);
    }

    @Override
    public ConsumerContext context()
    {
        return super.context().metadataMaxAgeMs(300);
    }

    // Behaviour O192, tried 2026-11-29: Members of a classic group share the partitions; no record is lost or repeated
    // when members join and leave.
    @Test
    void shouldShareThePartitionsAndRepeatNothingWhenMembersJoinAndLeave()
    {
        final GroupReader first = join(settings());
        until("all partitions", () -> first.owned().size() == PARTITIONS);
        readAllOnce(RECORDS);
        final GroupReader second = join(settings());
        until("three and two", () -> first.owned().size() + second.owned().size() == PARTITIONS &&
            first.owned().size() >= 2 && second.owned().size() >= 2);
        assertTrue(first.owned().equals(List.of(0, 1, 2)) || second.owned().equals(List.of(0, 1, 2)));
        write();
        readAllOnce(2 * RECORDS);
        assertTrue(second.count() > 0);
        assertTrue(first.events().contains("protocol CLASSIC: The settings of the group name it."),
            first.events()::toString);

        first.close();
        assertEquals(GroupState.LEFT, first.states().get(first.states().size() - 1));
        assertEquals(List.of(), first.owned());
        until("all partitions", () -> second.owned().size() == PARTITIONS);
        write();
        readAllOnce(3 * RECORDS);
        until("stable", () -> second.consumer().group().state() == GroupState.STABLE);
        second.close();
        assertEquals(0, first.counter(ConsumerCounters.PARTITIONS_LOST) +
            second.counter(ConsumerCounters.PARTITIONS_LOST) + second.counter(ConsumerCounters.FENCES));

        assertCommitted(3 * RECORDS, settings());
    }

    // Behaviour O199, tried 2026-11-29: A static member of a classic group does not leave when it closes, and owns its
    // partitions again after a restart; a member fails when another member takes its instance id.
    @Test
    void shouldKeepThePartitionsOfAStaticMemberThatRestarts()
    {
        final GroupReader other = join(settings().instanceId("two"));
        final GroupReader restarted = join(settings().instanceId("one"));
        until("shared", () -> other.owned().size() == 2 && restarted.owned().size() == 3);
        until("stable", () -> other.consumer().group().state() == GroupState.STABLE);
        readAllOnce(RECORDS);
        assertEquals(List.of(0, 1, 2), restarted.owned());
        final int generation = other.consumer().group().memberEpoch();

        restarted.close();
        other.close();
        for (final String id : List.of("two", "one"))
        {
            // One of them was the leader, which the broker then excuses from assigning.
            join(settings().instanceId(id));
        }
        final GroupReader two = members.get(2);
        final GroupReader one = members.get(3);
        until("the same partitions", () -> one.owned().equals(List.of(0, 1, 2)) && two.owned().equals(List.of(3, 4)));
        write();
        readAllOnce(2 * RECORDS);
        assertEquals(generation, one.consumer().group().memberEpoch());
        assertEquals(1, one.counter(ConsumerCounters.REBALANCES) * two.counter(ConsumerCounters.REBALANCES));
    }

    // Behaviour O197.
    @Test
    void shouldJoinAgainAfterItsSessionHasExpired()
    {
        expectShortSessions();
        final GroupReader member =
            join(settings().commitPolicy(CommitPolicy.delivered(10)).sessionTimeoutMs((int)GroupReader.SESSION_MS));
        final GroupReader other = join(settings());
        until("shared", () -> member.owned().size() >= 2 && other.owned().size() >= 2);
        readAllOnce(RECORDS);
        until("the commits", () -> member.owned().stream().allMatch(
            (partition) -> member.consumer().group().committedOffset(partition) == RECORDS));
        final String memberId = member.consumer().group().memberId();

        GroupReader.until("the session's end", List.of(other), () -> other.owned().size() == PARTITIONS);
        member.endPause();
        until("shared again", () -> member.owned().size() >= 2 && other.owned().size() >= 2 &&
            member.owned().size() + other.owned().size() == PARTITIONS);
        assertTrue(member.counter(ConsumerCounters.PARTITIONS_LOST) >= 2);
        assertTrue(member.states().contains(GroupState.FENCED));
        if (!mayHaveBeenRemoved())
        {
            assertEquals(1, member.counter(ConsumerCounters.FENCES));
        }
        assertNotEquals(memberId, member.consumer().group().memberId());
        write();
        readAllOnce(2 * RECORDS);
    }

    /** The one that joins first leads. The stock consumer reads a topic that the other does not. */
    // Behaviour O165.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShareThePartitionsWithAStockConsumerWhoeverLeads(final boolean isStockFirst)
    {
        final String further = topic + "-further";
        broker.createTopic(further, 3);
        final List<String> records = new ArrayList<>();
        try (Consumer<byte[], byte[]> stock = new KafkaConsumer<>(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers(), ConsumerConfig.GROUP_ID_CONFIG, group,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic", ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 50),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            stock.subscribe(List.of(further, topic));
            final Runnable poll = () -> stock.poll(Duration.ofMillis(5))
                .forEach((record) -> records.add(record.partition() + "-" + record.offset()));
            final GroupReader early = isStockFirst ? null : join(settings());
            until("the first member", () ->
            {
                if (isStockFirst)
                {
                    poll.run();
                }
                return isStockFirst ? stock.assignment().size() == PARTITIONS + 3 :
                    early.owned().size() == PARTITIONS;
            });
            final GroupReader member = isStockFirst ? join(settings()) : early;
            until("the topic shared", () ->
            {
                poll.run();
                return member.owned().size() >= 2 &&
                    stock.assignment().size() == PARTITIONS + 3 - member.owned().size();
            });
            assertEquals(3, stock.assignment().stream().filter((tp) -> tp.topic().equals(further)).count());
            assertTrue(member.owned().stream().noneMatch(
                (p) -> stock.assignment().contains(new TopicPartition(topic, p))));
            write();
            until("all records", () ->
            {
                poll.run();
                return member.count() + records.size() >= 2 * PARTITIONS * RECORDS;
            });
            assertEquals(2 * PARTITIONS * RECORDS, member.count() + records.size());
        }
        final GroupReader member = members.get(0);
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        assertEquals(List.of(), member.errors());
    }

    // Behaviour O194.
    @Test
    void shouldDivideAgainWhenATopicThatOnlyAnotherMemberReadsHasGrown() throws Exception
    {
        final String further = topic + "-further";
        broker.createTopic(further, 1);
        final GroupReader member = join(settings());
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        try (Consumer<byte[], byte[]> stock = new KafkaConsumer<>(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers(), ConsumerConfig.GROUP_ID_CONFIG, group,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic", ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 50,
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, RangeAssignor.class.getName()),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            stock.subscribe(List.of(further));
            until("one", () ->
            {
                stock.poll(Duration.ofMillis(5));
                return stock.assignment().size() == 1 && member.owned().size() == PARTITIONS;
            });
            broker.client().addPartitions(further, 3);
            broker.client().addPartitions(topic, PARTITIONS + 1);
            until("all", () ->
            {
                stock.poll(Duration.ofMillis(5));
                return stock.assignment().size() == 3 && member.owned().size() == PARTITIONS + 1;
            });
        }
        assertEquals(List.of(), member.errors());
    }

    /** The offsets that are known and committed are those of records that are gone. */
    // Behaviour O190.
    @Test
    void shouldReadATopicThatWasCreatedAgainFromItsBeginning()
    {
        final GroupReader first = join(settings().commitPolicy(CommitPolicy.delivered(100)));
        final GroupReader second = join(settings().commitPolicy(CommitPolicy.delivered(100)));
        until("shared", () -> first.owned().size() >= 2 && second.owned().size() >= 2);
        until("all records", () -> GroupReader.total(members) == PARTITIONS * RECORDS);

        createTopicAgain();

        until("the new records", () -> GroupReader.total(members) == PARTITIONS * (RECORDS + RECORDS / 2));
    }

    // Behaviour O191.
    @Test
    void shouldJoinAClassicGroupThatTheCoordinatorDoesNotConvert()
    {
        final Map<String, String> config = new HashMap<>(GroupReader.SHORT_INTERVALS);
        config.put("group.consumer.migration.policy", "disabled");
        try (EmbeddedBroker other = EmbeddedBroker.start(config))
        {
            other.createTopic(topic, PARTITIONS);
            final GroupReader first = new GroupReader(other.bootstrapServers(), topic, settings());
            final List<GroupReader> both = new ArrayList<>(List.of(first));
            GroupReader.until("all partitions", both, () -> first.owned().size() == PARTITIONS);
            final GroupReader second =
                new GroupReader(other.bootstrapServers(), topic, settings().protocol(GroupProtocol.AUTO));
            both.add(second);
            GroupReader.until("shared", both, () ->
                first.owned().size() + second.owned().size() == PARTITIONS && !second.owned().isEmpty());

            assertEquals(GroupProtocol.CLASSIC, second.consumer().group().protocol());
            assertEquals(List.of(), second.errors());
            both.forEach(GroupReader::close);
        }
    }

    // Behaviour O177.
    @Test
    void shouldCommitAndLeaveInACloseWithoutTime() throws Exception
    {
        final GroupReader member = join(settings().sessionTimeoutMs(1_800_000));
        readAllOnce(RECORDS);

        closeWithoutTime(member);

        assertCommitted(RECORDS, settings());
    }

    // Behaviour O191.
    @Test
    void shouldChooseTheNewerProtocolIfTheBrokerHasIt()
    {
        final GroupReader member = join(settings().protocol(GroupProtocol.AUTO));
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        assertEquals(GroupProtocol.CONSUMER, member.consumer().group().protocol());
        assertTrue(member.events().contains("protocol CONSUMER: The coordinator has the newer protocol."),
            member.events()::toString);
        assertTrue(member.consumer().describe().contains("protocol CONSUMER"), member.consumer()::describe);
    }
}
