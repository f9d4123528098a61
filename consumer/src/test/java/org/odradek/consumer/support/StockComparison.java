// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.StoredBatch;
import org.odradek.testkit.Await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.function.ToIntBiFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads partition 0 of a topic with the stock consumer and with ours, each record with all its fields as text.
 */
public final class StockComparison
{
    private static final int NULL_LEADER_EPOCH = -1;
    private static final long AWAIT_MS = 120_000;
    private static final long POLL_NS = SharedBroker.SECOND_NS / 20;
    private static final int MAX_EMPTY_POLLS = 2_400;
    /** The text of a record that was appended later. */
    private static final String BEYOND = "beyond";

    private final String bootstrapServers;
    private final String topic;
    private final IsolationLevel level;
    private final List<String> expected = new ArrayList<>();
    private final List<Long> offsets = new ArrayList<>();
    private long endOffset;

    private StockComparison(final String bootstrapServers, final String topic, final IsolationLevel level)
    {
        this.bootstrapServers = bootstrapServers;
        this.topic = topic;
        this.level = level;
    }

    /** Reads with the stock consumer, from the beginning to the current end of the log for this isolation level. */
    public static StockComparison read(final String bootstrapServers, final String topic, final IsolationLevel level)
    {
        final StockComparison comparison = new StockComparison(bootstrapServers, topic, level);
        comparison.read();
        return comparison;
    }

    /** The end of a transaction is acknowledged before its marker is in the log. */
    public static void awaitMarkers(final Admin admin, final String topic)
    {
        Await.until("the last marker", AWAIT_MS, () ->
            endOffset(admin, topic, IsolationLevel.READ_COMMITTED) ==
            endOffset(admin, topic, IsolationLevel.READ_UNCOMMITTED));
    }

    private static long endOffset(final Admin admin, final String topic, final IsolationLevel level)
    {
        final TopicPartition partition = new TopicPartition(topic, 0);
        final ListOffsetsOptions options =
            new ListOffsetsOptions(org.apache.kafka.common.IsolationLevel.valueOf(level.name()));
        try
        {
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()), options)
                .partitionResult(partition).get().offset();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private void read()
    {
        final TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(Map.of(
            "bootstrap.servers", bootstrapServers,
            "isolation.level", level.name().toLowerCase(Locale.ROOT),
            "key.deserializer", ByteArrayDeserializer.class,
            "value.deserializer", ByteArrayDeserializer.class)))
        {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            endOffset = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < endOffset)
            {
                consumer.poll(Duration.ofMillis(100)).forEach(this::add);
            }
        }
    }

    private void add(final ConsumerRecord<byte[], byte[]> record)
    {
        if (record.offset() < endOffset)
        {
            expected.add(text(record));
            offsets.add(record.offset());
        }
    }

    /** Returns the records that the stock consumer has read. */
    public List<String> expected()
    {
        return expected;
    }

    /** Returns the records that the stock consumer has read from an offset on. */
    public List<String> expectedFrom(final long offset)
    {
        int first = 0;
        while (first < offsets.size() && offsets.get(first) < offset)
        {
            first++;
        }
        return expected.subList(first, expected.size());
    }

    public long endOffset()
    {
        return endOffset;
    }

    /** Returns the records that our consumer reads, up to the offset at which the stock consumer stopped. */
    public List<String> readByOurs(final ConsumerContext context)
    {
        return readByOurs(context, (consumer, found) -> consumer.poll(
            (record) -> found.add(record.offset() < endOffset ? text(record) : BEYOND), 1_000, POLL_NS));
    }

    /** Reads the same in whole batches, whose bytes Kafka's own classes decode. */
    public List<String> readByOursInBatches(final ConsumerContext context)
    {
        return readByOurs(context, (consumer, found) -> consumer.pollBatches(
            (batch) -> decode(batch, found), 10, POLL_NS));
    }

    private List<String> readByOurs(
        final ConsumerContext context, final ToIntBiFunction<TopicConsumer, List<String>> poll)
    {
        final List<String> found = new ArrayList<>();
        try (TopicConsumer consumer = TopicConsumer.connect(context.isolationLevel(level)))
        {
            int emptyPolls = 0;
            while (!consumer.isAssigned(0) || consumer.nextOffset(0) < endOffset)
            {
                emptyPolls = poll.applyAsInt(consumer, found) > 0 ? 0 : emptyPolls + 1;
                assertTrue(emptyPolls < MAX_EMPTY_POLLS, consumer::describe);
            }
            assertEquals(found.size(), consumer.counters().records());
        }
        found.removeIf(BEYOND::equals);
        return found;
    }

    private Action decode(final StoredBatch batch, final List<String> found)
    {
        final ByteBuffer copy = ByteBuffer.allocate(batch.length()).put(batch.byteBuffer()).flip();
        for (final RecordBatch stored : MemoryRecords.readableRecords(copy).batches())
        {
            for (final org.apache.kafka.common.record.internal.Record record : stored)
            {
                final StringBuilder text = new StringBuilder();
                text.append(record.offset()).append(' ').append(record.timestamp()).append(' ')
                    .append(stored.timestampType() == TimestampType.LOG_APPEND_TIME).append(' ')
                    .append(batch.leaderEpoch()).append(' ')
                    .append(Arrays.hashCode(Utils.toNullableArray(record.key()))).append(' ')
                    .append(Arrays.hashCode(Utils.toNullableArray(record.value())));
                for (final Header header : record.headers())
                {
                    text.append(' ').append(header.key()).append('=').append(Arrays.hashCode(header.value()));
                }
                found.add(record.offset() < endOffset ? text.toString() : BEYOND);
            }
        }
        return Action.CONTINUE;
    }

    private static String text(final ConsumerRecord<byte[], byte[]> record)
    {
        final OptionalInt epoch = record.leaderEpoch().stream().mapToInt((e) -> e).findFirst();
        final StringBuilder text = new StringBuilder();
        text.append(record.offset()).append(' ').append(record.timestamp()).append(' ')
            .append(record.timestampType() == TimestampType.LOG_APPEND_TIME).append(' ')
            .append(epoch.orElse(NULL_LEADER_EPOCH)).append(' ')
            .append(Arrays.hashCode(record.key())).append(' ').append(Arrays.hashCode(record.value()));
        for (final Header header : record.headers())
        {
            text.append(' ').append(header.key()).append('=').append(Arrays.hashCode(header.value()));
        }
        return text.toString();
    }

    private static String text(final Record record)
    {
        final StringBuilder text = new StringBuilder();
        text.append(record.offset()).append(' ').append(record.timestamp()).append(' ')
            .append(record.isLogAppendTime()).append(' ').append(record.leaderEpoch()).append(' ')
            .append(hash(record, record.keyIndex(), record.keyLength())).append(' ')
            .append(hash(record, record.valueIndex(), record.valueLength()));
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            text.append(' ').append(record.buffer().getStringWithoutLengthUtf8(headers.keyIndex(), headers.keyLength()))
                .append('=').append(hash(record, headers.valueIndex(), headers.valueLength()));
        }
        return text.toString();
    }

    private static int hash(final Record record, final int index, final int length)
    {
        if (length == Record.NULL_LENGTH)
        {
            return Arrays.hashCode((byte[])null);
        }
        final byte[] bytes = new byte[length];
        record.buffer().getBytes(index, bytes);
        return Arrays.hashCode(bytes);
    }
}
