// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.GroupTopic;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Members of one group, on one thread, share a topic of a real broker with short heartbeat intervals.
 */
class GroupIT extends GroupTopic
{
    private static final int PARTITIONS = 4;
    private static final long WAIT_NS = 30_000_000_000L;

    GroupIT()
    {
        super(PARTITIONS);
    }

    private GroupSettings settings()
    {
        return new GroupSettings(group).fenceAfterMs(GroupReader.FENCE_MS);
    }

    // Behaviour O164, tried 2026-11-29: The members share the partitions; when members join and leave, partitions move,
    // and no record is lost or repeated.
    @Test
    void shouldShareThePartitionsAndRepeatNothingWhenMembersJoinAndLeave()
    {
        final GroupReader first = join(settings());
        until("all partitions", () -> first.owned().size() == PARTITIONS);
        readAllOnce(RECORDS);
        final GroupReader second = join(settings());
        until("two each", () -> first.owned().size() == 2 && second.owned().size() == 2);
        write();
        readAllOnce(2 * RECORDS);
        assertTrue(second.count() > 0);

        first.close();
        assertEquals(GroupState.LEFT, first.states().get(first.states().size() - 1));
        assertEquals(List.of(), first.owned());
        until("all partitions", () -> second.owned().size() == PARTITIONS);
        write();
        readAllOnce(3 * RECORDS);
        second.close();
        assertEquals(0, first.counter(ConsumerCounters.PARTITIONS_LOST) +
            second.counter(ConsumerCounters.PARTITIONS_LOST) + second.counter(ConsumerCounters.FENCES));
        assertEquals(PARTITIONS, first.counter(ConsumerCounters.PARTITIONS_REVOKED));

        assertCommitted(3 * RECORDS, settings());
    }

    // Behaviour J129.
    @ParameterizedTest
    @EnumSource(value = GroupProtocol.class, names = {"CONSUMER", "CLASSIC"})
    void shouldCommitUpToTheRecordAtWhichTheHandlerThrowsAndDeliverItAgain(final GroupProtocol protocol)
    {
        final GroupReader first = join(settings().protocol(protocol).commitPolicy(CommitPolicy.delivered(100)));
        first.failAt(0, 5);
        until("a stop", () -> first.owned().contains(0) && first.consumer().isStopped(0));
        until("the other records", () -> first.count() == (PARTITIONS - 1) * RECORDS + 5);
        until("the commits", () -> first.consumer().group().committedOffset(0) == 5 &&
            first.consumer().group().committedOffset(1) == RECORDS);

        // It is retried in place, and fails again.
        first.consumer().resume(0);
        until("another stop", () -> first.consumer().isStopped(0));
        assertEquals(2, first.counter(ConsumerCounters.HANDLER_ERRORS));
        first.close();

        // Nothing beyond the failure was committed, so the next owner is given the record.
        final GroupReader second = join(settings().protocol(protocol).commitPolicy(CommitPolicy.delivered(100)));
        second.failAt(0, 6);
        until("a stop", () -> second.owned().contains(0) && second.consumer().isStopped(0));
        assertEquals(1, second.count());
        second.failAt(-1, -1);
        second.consumer().resume(0);
        until("all records", () -> GroupReader.total(members) == PARTITIONS * RECORDS);
        until("the commit", () -> second.consumer().group().committedOffset(0) == RECORDS);
    }

    /** The offsets that are known and committed are those of records that are gone. */
    // Behaviour O190, tried 2026-11-29: When a topic was deleted and created again, its old partitions are lost, and
    // the new ones are read from their committed offset or the start position; no offset of the deleted topic is
    // committed.
    @Test
    void shouldReadATopicThatWasCreatedAgainFromItsBeginning()
    {
        final GroupReader first = join(settings().commitPolicy(CommitPolicy.delivered(100)));
        final GroupReader second = join(settings().commitPolicy(CommitPolicy.delivered(100)));
        until("two each", () -> first.owned().size() == 2 && second.owned().size() == 2);
        until("all records", () -> GroupReader.total(members) == PARTITIONS * RECORDS);

        createTopicAgain();

        until("the new records", () -> GroupReader.total(members) == PARTITIONS * (RECORDS + RECORDS / 2));
        until("the commits", () -> members.stream().allMatch((member) -> member.owned().stream().allMatch(
            (p) -> member.consumer().group().committedOffset(p) == RECORDS / 2)));
    }

    @Test
    void shouldRefuseToAssignWithAGroup()
    {
        final GroupReader member = join(settings().commitPolicy(CommitPolicy.explicit()));
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        final TopicConsumer consumer = member.consumer();
        final IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> consumer.assign(0, StartPosition.earliest()));
        assertTrue(refused.getMessage().contains(group), refused.getMessage());
        assertThrows(IllegalStateException.class, () -> consumer.unassign(0));
        assertThrows(IllegalStateException.class, () -> consumer.groupOffsets(group));
        consumer.pause(1);
        consumer.seek(1, 3);
        consumer.resume(1);
        assertFalse(consumer.group().commitAsync(PARTITIONS, 1));
    }

    // Behaviour O203, tried 2026-11-29: `commitSync` commits and waits for the response. It returns false after its
    // timeout, a wake-up or an interrupt; the commit then continues.
    @Test
    void shouldCommitAndWait()
    {
        final GroupReader member = join(settings().commitPolicy(CommitPolicy.delivered(1_000_000)));
        until("all records", () -> member.count() == PARTITIONS * RECORDS);
        assertTrue(member.consumer().group().commitSync(WAIT_NS));
        for (int p = 0; p < PARTITIONS; p++)
        {
            assertEquals(RECORDS, member.consumer().group().committedOffset(p));
        }
        member.close();

        final GroupReader explicit = join(settings().commitPolicy(CommitPolicy.explicit()));
        until("all partitions", () -> explicit.owned().size() == PARTITIONS);
        assertEquals(RECORDS, explicit.consumer().nextOffset(1));
        explicit.consumer().group().commitAsync(1, 3);
        assertTrue(explicit.consumer().group().commitSync(WAIT_NS));
        explicit.close();

        final GroupReader last = join(settings());
        until("all partitions again", () -> last.owned().size() == PARTITIONS);
        assertTrue(last.events().contains("assigned 1 at 3"), last.events()::toString);
        assertTrue(last.events().contains("assigned 0 at " + RECORDS), last.events()::toString);
    }

    // Behaviour O185, tried 2026-11-30: Before a partition is revoked, the revocation handler is called until it
    // returns true or throws an exception, or its time has expired. With `CommitPolicy.delivered`, the offset is
    // committed only if the handler has returned true. With `CommitPolicy.acknowledged`, the acknowledged offset is
    // committed in any case. Commits of the application are sent in any case.
    @Test
    void shouldAskTheHandlerUntilAPartitionIsDrainedAndCommitThen()
    {
        final AtomicBoolean isDrained = new AtomicBoolean();
        final List<String> asked = new ArrayList<>();
        final RevocationHandler handler = (partition, nextOffset, remainingNs) ->
        {
            asked.add(partition + " at " + nextOffset);
            assertTrue(remainingNs > 0);
            return isDrained.get();
        };
        final GroupReader first = join(settings().revocationHandler(handler).commitPolicy(CommitPolicy.explicit()));
        until("all records", () -> first.count() == PARTITIONS * RECORDS);
        final GroupReader second = join(settings());
        until("the handler", () -> asked.size() >= 10);

        assertEquals(2, asked.stream().distinct().count());
        assertTrue(asked.get(0).endsWith(" at " + RECORDS), asked.toString());
        assertEquals(List.of(), second.owned());
        assertEquals(PARTITIONS, first.owned().size());
        for (int p = 0; p < PARTITIONS; p++)
        {
            assertTrue(first.consumer().group().commitAsync(p, RECORDS - p));
        }
        isDrained.set(true);
        until("two each", () -> first.owned().size() == 2 && second.owned().size() == 2);
        for (final int p : second.owned())
        {
            assertTrue(first.events().contains("revoked " + p + " at " + (RECORDS - p)), first.events().toString());
            assertTrue(second.events().contains("assigned " + p + " at " + (RECORDS - p)), second.events().toString());
            assertFalse(first.consumer().group().commitAsync(p, RECORDS));
        }
    }

    // Behaviour O178, tried 2026-11-29: When a static member is closed and joins again within its session, no partition
    // moves.
    @Test
    void shouldKeepThePartitionsOfAStaticMemberThatRestarts()
    {
        final GroupReader other = join(settings().heartbeatIntervalMs(200));
        final GroupReader restarted = join(settings().instanceId("one"));
        until("two each", () -> other.owned().size() == 2 && restarted.owned().size() == 2);
        readAllOnce(RECORDS);
        final List<Integer> owned = restarted.owned();
        final long rebalances = other.counter(ConsumerCounters.REBALANCES);

        restarted.close();
        // Time in which the coordinator could assign the partitions to the other member.
        final long heartbeats = other.counter(ConsumerCounters.HEARTBEATS);
        until("heartbeats", () -> other.counter(ConsumerCounters.HEARTBEATS) > heartbeats + 2);
        final GroupReader again = join(settings().instanceId("one"));
        until("the same partitions", () -> again.owned().equals(owned));
        write();
        readAllOnce(2 * RECORDS);
        assertEquals(rebalances, other.counter(ConsumerCounters.REBALANCES));
        assertEquals(0, again.counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    // Behaviour O174.
    @Test
    void shouldJoinAgainAfterItsSessionHasExpired() throws Exception
    {
        shortenSessions();
        final GroupReader member = join(settings().commitPolicy(CommitPolicy.delivered(10)));
        final GroupReader other = join(settings());
        until("two each", () -> member.owned().size() == 2 && other.owned().size() == 2);
        readAllOnce(RECORDS);
        until("the commits", () -> member.owned().stream().allMatch(
            (partition) -> member.consumer().group().committedOffset(partition) == RECORDS));
        final String memberId = member.consumer().group().memberId();

        GroupReader.until("the session's end", List.of(other), () -> other.owned().size() == PARTITIONS);
        member.endPause();
        until("two each again", () -> member.owned().size() == 2 && other.owned().size() == 2);
        assertTrue(member.states().contains(GroupState.FENCED));
        assertEquals(memberId, member.consumer().group().memberId());
        if (!mayHaveBeenRemoved())
        {
            assertEquals(2, member.counter(ConsumerCounters.PARTITIONS_LOST));
        }
        write();
        readAllOnce(2 * RECORDS);
    }

    // Behaviour O184.
    @Test
    void shouldStayAMemberDuringALongHandlerThatKeepsItAlive() throws Exception
    {
        shortenSessions();
        final GroupReader member = join(settings());
        readAllOnce(RECORDS);
        member.slowRecord(2 * GroupReader.SESSION_MS);
        write();
        readAllOnce(2 * RECORDS);
        if (!mayHaveBeenRemoved())
        {
            assertEquals(0, member.counter(ConsumerCounters.PARTITIONS_LOST));
            assertEquals(0, member.counter(ConsumerCounters.FENCES));
            assertEquals(0, member.counter(ConsumerCounters.HEARTBEAT_FAILURES));
        }
    }

    // Behaviour O165, tried 2026-11-29: Members of other clients, with the protocol `consumer` or `classic`, can be in
    // the same group as members of Odradek.
    @ParameterizedTest
    @ValueSource(strings = {"consumer", "classic"})
    void shouldShareThePartitionsWithAStockConsumer(final String protocol)
    {
        final GroupReader member = join(settings());
        readAllOnce(RECORDS);
        final Map<String, Object> properties = new HashMap<>(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers(), ConsumerConfig.GROUP_ID_CONFIG, group,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG, protocol, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest"));
        if (protocol.equals("classic"))
        {
            properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 100);
        }
        final List<String> records = new ArrayList<>();
        try (Consumer<byte[], byte[]> stock =
            new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            stock.subscribe(List.of(topic));
            final Runnable poll = () -> stock.poll(Duration.ofMillis(5))
                .forEach((record) -> records.add(record.partition() + "-" + record.offset()));
            until("two each", () ->
            {
                poll.run();
                return member.owned().size() == 2 && stock.assignment().size() == 2;
            });
            write();
            until("all records", () ->
            {
                poll.run();
                return member.count() + records.size() >= 2 * PARTITIONS * RECORDS;
            });
            assertEquals(2 * RECORDS, records.stream().distinct().count());
            assertEquals(2 * RECORDS, records.size());
        }
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        write();
        until("all records", () -> member.count() + records.size() >= 3 * PARTITIONS * RECORDS);
        assertEquals(3 * PARTITIONS * RECORDS, member.count() + records.size());
        assertEquals(List.of(), member.errors());
    }

    // Behaviour O188, tried 2026-11-29: The join that converts a classic group with members is reported once; a
    // description of the group that is refused, lost or large does not prevent the join.
    @Test
    void shouldReportThatItsJoinConvertsAClassicGroupWithMembers()
    {
        final Consumer<byte[], byte[]> stock = new KafkaConsumer<>(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrapServers(), ConsumerConfig.GROUP_ID_CONFIG, group,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic", ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 100),
            new ByteArrayDeserializer(), new ByteArrayDeserializer());
        final GroupReader member;
        try (stock)
        {
            stock.subscribe(List.of(topic));
            until("the classic member", () ->
            {
                stock.poll(Duration.ofMillis(5));
                return stock.assignment().size() == PARTITIONS;
            });
            member = join(settings());
            until("two each", () ->
            {
                stock.poll(Duration.ofMillis(5));
                return member.owned().size() == 2 && stock.assignment().size() == 2;
            });
        }
        assertEquals(List.of("converted consumer Stable 1"), conversions(member));
        assertEquals(1, member.counter(ConsumerCounters.CLASSIC_GROUPS_CONVERTED));
        final GroupReader second = join(settings());
        until("two each", () -> member.owned().size() == 2 && second.owned().size() == 2);
        assertEquals(List.of(), conversions(second));
    }

    // Behaviour O188.
    @Test
    void shouldReportNoConversionOfAClassicGroupThatIsEmpty() throws Exception
    {
        broker.client().admin().alterConsumerGroupOffsets(
            group, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(7))).all().get();
        final GroupReader member = join(settings());
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        assertTrue(member.events().contains("assigned 0 at 7"), member.events()::toString);
        assertEquals(List.of(), conversions(member));
    }

    private static List<String> conversions(final GroupReader member)
    {
        return member.events().stream().filter((event) -> event.startsWith("converted")).toList();
    }

    // Behaviour O186, tried 2026-11-29: Partitions that are added to the topic are read from their first record.
    @Test
    void shouldReadFromTheBeginningWhatIsAddedToTheTopic() throws Exception
    {
        final GroupReader member = join(context().group(settings()).startPosition(StartPosition.latest()));
        until("all partitions", () -> member.owned().size() == PARTITIONS);
        assertEquals(0, member.count());
        broker.client().addPartitions(topic, PARTITIONS + 2);
        broker.produce(topic, PARTITIONS, RECORDS, (i) -> "value".getBytes());
        broker.produce(topic, PARTITIONS + 1, RECORDS, (i) -> "value".getBytes());
        until("the records", () -> member.count() == 2 * RECORDS);
        assertEquals(PARTITIONS + 2, member.owned().size());
    }

    /**
     * The handler lets the poll end only once the other thread waits for that, so the close comes during a poll. A
     * third thread, which waits for nothing, does not shorten the time to leave.
     */
    // Behaviour O177.
    @Test
    void shouldLeaveWhenAnotherThreadClosesItDuringAPoll() throws Exception
    {
        final GroupReader member = join(settings());
        readAllOnce(RECORDS);
        final Thread closing = new Thread(member.consumer()::close);
        final Thread hurrying = new Thread(() -> member.consumer().close(0));
        member.slowRecord(() ->
        {
            final Thread.State state = closing.getState();
            if (state == Thread.State.NEW)
            {
                closing.start();
            }
            else if (state == Thread.State.TIMED_WAITING && hurrying.getState() == Thread.State.NEW)
            {
                hurrying.start();
            }
            return hurrying.getState() == Thread.State.TERMINATED;
        });
        write();
        until("the leave", () -> member.states().contains(GroupState.LEFT));
        closing.join();
        assertEquals(List.of(), member.owned());
        assertThrows(IllegalStateException.class, member::poll);
        member.close();

        final GroupReader next = join(settings());
        until("all partitions", () -> next.owned().size() == PARTITIONS);
        for (int p = 0; p < PARTITIONS; p++)
        {
            final int partition = p;
            final String revoked = member.events().stream()
                .filter((event) -> event.startsWith("revoked " + partition)).findFirst().orElseThrow();
            assertTrue(next.events().contains(revoked.replace("revoked", "assigned")), next::toString);
        }
        readAllOnce(2 * RECORDS);
    }

    // Behaviour O177.
    @Test
    void shouldCommitAndLeaveInACloseWithoutTime() throws Exception
    {
        final GroupReader member = join(settings());
        readAllOnce(RECORDS);

        closeWithoutTime(member);

        assertCommitted(RECORDS, settings());
    }

    /** The thread that polls is not there to leave and to commit, so the session of the member expires. */
    @Test
    void shouldNotLeaveWhenAnotherThreadClosesItBetweenPolls() throws Exception
    {
        shortenSessions();
        final GroupReader member = join(settings().commitPolicy(CommitPolicy.explicit()));
        readAllOnce(RECORDS);
        final Thread closing = new Thread(member.consumer()::close);
        closing.start();
        closing.join();
        member.close();
        assertFalse(member.states().contains(GroupState.LEFT), member.states()::toString);

        final GroupReader next = join(settings());
        until("all partitions", () -> next.owned().size() == PARTITIONS);
        for (int p = 0; p < PARTITIONS; p++)
        {
            assertTrue(next.events().contains("assigned " + p + " at 0"), next::toString);
        }
    }

    // Behaviour O182, tried 2026-11-29: The member keeps its partitions when the coordinator restarts or moves.
    @Test
    void shouldStayAMemberWhileTheCoordinatorRestarts()
    {
        final GroupReader member = join(settings().fenceAfterMs(0));
        readAllOnce(RECORDS);
        final Thread restarting = new Thread(broker::restart);
        restarting.start();
        until("the restart", () -> !restarting.isAlive());
        write();
        until("all records", () -> member.count() == 2 * PARTITIONS * RECORDS);
        until("stable", () -> member.consumer().group().state() == GroupState.STABLE);
        assertEquals(0, member.counter(ConsumerCounters.PARTITIONS_LOST));
        assertTrue(member.counter(ConsumerCounters.CONNECTIONS_LOST) > 0);
        assertEquals(1, member.counter(ConsumerCounters.REBALANCES));
    }

    @Test
    void shouldAwaitStability()
    {
        final GroupReader member = join(settings());
        assertTrue(member.consumer().group().awaitStable(WAIT_NS), member.consumer()::describe);
        assertEquals(GroupState.STABLE, member.consumer().group().state());
        assertEquals(PARTITIONS, member.owned().size());
        assertTrue(member.consumer().describe().contains("STABLE"), member.consumer().describe());
        assertEquals(0, member.count());
        member.consumer().group().leave();
        until("left", () -> member.consumer().group().state() == GroupState.LEFT);
        assertEquals(List.of(GroupState.JOINING, GroupState.RECONCILING, GroupState.STABLE, GroupState.LEFT),
            member.states());
    }
}
