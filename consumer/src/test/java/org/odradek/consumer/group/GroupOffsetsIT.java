// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.collections.MutableLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.client.TransportType;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.protocol.ErrorCode;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.Await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

/**
 * Compares offsets under a group id with those that the stock clients store and read.
 */
@ExtendWith(SharedBroker.class)
class GroupOffsetsIT
{
    private static final int RECORDS = 30;
    private static final long LONG_NS = 60 * SECOND_NS;

    private final Deliveries deliveries = new Deliveries();
    private final List<String> errors = new ArrayList<>();
    private String group;

    @BeforeEach
    void name(final TestInfo test)
    {
        group = "group-of-" + test.getTestMethod().orElseThrow().getName();
    }

    private TopicConsumer connect(final String topic, final StartPosition position)
    {
        return TopicConsumer.connect(SharedBroker.context(TransportType.AUTO, topic).startPosition(position)
            .errorHandler((error) -> errors.add(error.getMessage())));
    }

    private Map<TopicPartition, OffsetAndMetadata> listed() throws Exception
    {
        return SharedBroker.client().admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    }

    private Consumer<byte[], byte[]> stock(final String assignor)
    {
        return new KafkaConsumer<>(Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, SharedBroker.bootstrapServers(),
            ConsumerConfig.GROUP_ID_CONFIG, group, ConsumerConfig.GROUP_PROTOCOL_CONFIG, assignor,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false),
            new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    // Behaviour M153, tried 2026-11-30: `CommitPolicy.delivered` and `GroupOffsets.commitAsync()` commit the next
    // offset of a partition with the leader epoch of the record before it, or without an epoch if it is not known. A
    // committed epoch is read back with its offset. `GroupOffsets.commitAsync()` sends a commit even if the offset has
    // not changed, so that the offset does not expire. The metadata string of an offset is written empty and not read.
    @Test
    void shouldStoreWhatStockClientsRead() throws Exception
    {
        final String topic = SharedBroker.topic(3, RECORDS);
        try (TopicConsumer consumer = connect(topic, StartPosition.earliest()))
        {
            final GroupOffsets offsets = consumer.groupOffsets(group);
            deliveries.pollUntilCount(consumer, 3 * RECORDS);
            offsets.commitAsync();
            offsets.commitAsync(1, 3);
            offsets.commitAsync(1, 7);
            assertFalse(offsets.areCommitsDone());
            assertTrue(consumer.await(offsets::areCommitsDone, LONG_NS), consumer::describe);
            assertEquals(RECORDS, offsets.committedOffset(0));
            assertEquals(7, offsets.committedOffset(1));
            assertEquals(GroupOffsets.NULL_OFFSET, offsets.committedOffset(9));

            final Map<TopicPartition, OffsetAndMetadata> listed = listed();
            assertEquals(Set.of(new TopicPartition(topic, 0), new TopicPartition(topic, 1),
                new TopicPartition(topic, 2)), listed.keySet());
            assertEquals(
                new OffsetAndMetadata(RECORDS, Optional.of(0), ""), listed.get(new TopicPartition(topic, 2)));
            assertEquals(new OffsetAndMetadata(7, Optional.empty(), ""), listed.get(new TopicPartition(topic, 1)));
            try (Consumer<byte[], byte[]> stock = stock("classic"))
            {
                assertEquals(7, stock.committed(Set.of(new TopicPartition(topic, 1)))
                    .get(new TopicPartition(topic, 1)).offset());
            }

            // Offsets that are already stored are sent again, so that they do not expire.
            offsets.commitAsync(1, RECORDS);
            assertTrue(consumer.await(offsets::areCommitsDone, LONG_NS), consumer::describe);
            offsets.commitAsync();
            assertFalse(offsets.areCommitsDone());
        }
        assertEquals(List.of(), errors);
    }

    // Behaviour M155, tried 2026-11-29: Reading begins at the committed offset, or at the start position if there is
    // none.
    // Behaviour M153.
    @Test
    void shouldContinueFromOffsetsThatStockClientsStored() throws Exception
    {
        final String topic = SharedBroker.topic(3, RECORDS);
        SharedBroker.client().admin().alterConsumerGroupOffsets(group, Map.of(
            new TopicPartition(topic, 0), new OffsetAndMetadata(11, Optional.of(0), "note"),
            new TopicPartition(topic, 2), new OffsetAndMetadata(RECORDS))).all().get();
        try (TopicConsumer consumer = connect(topic, StartPosition.committed(group, StartPosition.offset(20))))
        {
            final GroupOffsets offsets = consumer.groupOffsets(group);
            final CommittedOffsets fetched = offsets.fetch();
            assertFalse(fetched.isDone());
            assertTrue(consumer.await(fetched::isDone, LONG_NS), consumer::describe);
            assertFalse(fetched.isFailed(), fetched::toString);
            assertEquals(3, fetched.partitionCount());
            assertEquals(11, fetched.offset(0));
            assertEquals(0, fetched.leaderEpoch(0));
            assertEquals(CommittedOffsets.NULL_OFFSET, fetched.offset(1));
            assertEquals(RECORDS, fetched.offset(2));
            assertEquals(CommittedOffsets.NULL_OFFSET, fetched.offset(3));

            deliveries.expect(0, 11).expect(1, 20).expect(2, RECORDS)
                .pollUntilCount(consumer, RECORDS - 11 + RECORDS - 20);
            assertTrue(consumer.awaitReady(LONG_NS), consumer::describe);
            assertEquals(RECORDS, consumer.nextOffset(2));
        }
        assertEquals(List.of(), errors);
    }

    // Behaviour M155.
    @Test
    void shouldContinueFromItsOwnCommit()
    {
        final String topic = SharedBroker.topic(2, RECORDS);
        try (TopicConsumer consumer = connect(topic, StartPosition.committed(group, StartPosition.earliest())))
        {
            final GroupOffsets offsets = consumer.groupOffsets(group);
            Deliveries.pollUntil(consumer, (record) ->
            {
                deliveries.onRecord(record);
                offsets.commitAsync(record.partition(), record.offset() + 1);
            }, 4, () -> deliveries.count() >= 41);
            assertTrue(consumer.await(offsets::areCommitsDone, LONG_NS), consumer::describe);
        }
        try (TopicConsumer consumer = connect(topic, StartPosition.committed(group, StartPosition.earliest())))
        {
            deliveries.pollUntilCount(consumer, 2 * RECORDS);
        }
        assertEquals(List.of(), errors);
    }

    // Behaviour M155.
    @Test
    void shouldPreferASeekToAStoredOffset()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        try (TopicConsumer consumer = TopicConsumer.connect(SharedBroker.context(TransportType.AUTO, topic)
            .partitions(0).startPosition(StartPosition.committed(group, StartPosition.earliest()))))
        {
            consumer.seek(0, 25);
            deliveries.expect(0, 25).pollUntilCount(consumer, RECORDS - 25);
        }
    }

    // Behaviour M157, tried 2026-11-29: A commit for a group that has members is refused, and the error names this
    // reason.
    @Test
    void shouldReportThatALiveGroupOwnsTheId()
    {
        final String topic = SharedBroker.topic(1, RECORDS);
        try (Consumer<byte[], byte[]> member = stock("consumer");
            TopicConsumer consumer = connect(topic, StartPosition.earliest()))
        {
            member.subscribe(List.of(topic));
            Await.until("the member's assignment", () ->
            {
                member.poll(Duration.ofMillis(50));
                return !member.assignment().isEmpty();
            });

            final GroupOffsets offsets = consumer.groupOffsets(group);
            offsets.commitAsync(0, 5);

            assertTrue(consumer.await(offsets::areCommitsDone, LONG_NS), consumer::describe);
            assertEquals(ErrorCode.UNKNOWN_MEMBER_ID, offsets.errorCode(0));
            assertEquals(GroupOffsets.NULL_OFFSET, offsets.committedOffset(0));
            assertEquals(1, errors.size(), errors::toString);
            assertTrue(errors.get(0).contains("UNKNOWN_MEMBER_ID, because a live group owns this group id"),
                errors::toString);
            deliveries.pollUntilCount(consumer, RECORDS);
        }
    }

    @Test
    void shouldCommitWithoutAllocating()
    {
        final String topic = SharedBroker.topic(2, 0);
        try (TopicConsumer consumer = connect(topic, StartPosition.earliest()))
        {
            final GroupOffsets offsets = consumer.groupOffsets(group);
            final MutableLong offset = new MutableLong();
            assertEquals(0, new AllocationMeter().leastBytes(100, () ->
            {
                for (int i = 0; i < 100; i++)
                {
                    offsets.commitAsync(0, offset.incrementAndGet());
                    offsets.commitAsync(1, offset.get());
                    while (!offsets.areCommitsDone())
                    {
                        consumer.poll(deliveries, 1, SECOND_NS / 100);
                    }
                }
            }));
            assertEquals(offset.get(), offsets.committedOffset(1));
        }
        assertEquals(List.of(), errors);
    }

    // Behaviour J124.
    @Test
    void shouldRefuseWrongUse()
    {
        final GroupOffsets offsets;
        try (TopicConsumer consumer = connect(SharedBroker.topic(1, 0), StartPosition.earliest()))
        {
            offsets = consumer.groupOffsets(group);
            assertThrows(IllegalArgumentException.class, () -> offsets.commitAsync(-1, 5));
            assertThrows(IllegalArgumentException.class, () -> offsets.commitAsync(0, -1));
            assertThrows(IllegalArgumentException.class, () -> offsets.commitAsync(1_000_000, 1));
            assertThrows(NullPointerException.class, () -> StartPosition.committed(group, null));
        }
        assertThrows(IllegalStateException.class, offsets::commitAsync);
        assertThrows(IllegalStateException.class, offsets::fetch);
    }
}
