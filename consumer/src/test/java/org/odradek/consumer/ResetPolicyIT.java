// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.SharedBroker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

/**
 * Compares resets with those of the stock consumer, on a real broker whose log holds offsets 10 to 59.
 */
@ExtendWith(SharedBroker.class)
final class ResetPolicyIT
{
    private static final int RECORDS = 60;
    private static final int FIRST_RECENT = 30;
    private static final long LOG_START = 10;
    private static final long FAR_BEYOND = 1_000;

    private static String topic(final int recordsOfThePast) throws Exception
    {
        final String topic = SharedBroker.topic(1, 0);
        final long nowMs = System.currentTimeMillis();
        final long thenMs = nowMs - TimeUnit.HOURS.toMillis(10);
        try (Producer<byte[], byte[]> producer = SharedBroker.client().producer(0, "all"))
        {
            for (int i = 0; i < RECORDS; i++)
            {
                producer.send(new ProducerRecord<>(
                    topic, 0, i < recordsOfThePast ? thenMs : nowMs, null, Integer.toString(i).getBytes()));
            }
        }
        deleteBefore(topic, LOG_START);
        return topic;
    }

    private static void deleteBefore(final String topic, final long offset) throws Exception
    {
        SharedBroker.client().admin().deleteRecords(
            Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset))).all().get();
    }

    private static OffsetResetPolicy policy(final String name)
    {
        switch (name)
        {
            case "earliest":
                return OffsetResetPolicy.earliest();
            case "latest":
                return OffsetResetPolicy.latest();
            case "nearest":
                return OffsetResetPolicy.nearest();
            default:
                return OffsetResetPolicy.byDuration(Duration.parse(name.substring(name.indexOf(':') + 1)));
        }
    }

    /** Returns the offset at which the stock consumer continues when the log does not hold its offset. */
    private static long stockOffset(final String topic, final long offset, final String policy)
    {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, SharedBroker.bootstrapServers(),
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, policy),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            final TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seek(partition, offset);
            final long deadlineNs = System.nanoTime() + 60 * SECOND_NS;
            while (deadlineNs - System.nanoTime() > 0)
            {
                final var records = consumer.poll(Duration.ofMillis(50));
                if (!records.isEmpty())
                {
                    return records.iterator().next().offset();
                }
                final long position = consumer.position(partition);
                if (position != offset)
                {
                    return position;
                }
            }
            throw new AssertionError("the stock consumer stayed at " + offset);
        }
    }

    // Behaviour K130, tried 2026-11-29: If an offset is out of range, reading continues at the offset that Kafka's
    // consumer chooses with the same reset policy; without a policy, the partition stops.
    @ParameterizedTest
    @CsvSource({"earliest, 5", "latest, 5", "by_duration:PT1H, 5", "nearest, 5",
        "earliest, 1000", "latest, 1000", "by_duration:PT1H, 1000", "nearest, 1000"})
    void shouldContinueAtTheOffsetOfTheStockConsumer(final String policy, final long offset) throws Exception
    {
        final String topic = topic(FIRST_RECENT);
        // The stock consumer has no policy "nearest", but it has the policy that gives the same result.
        final String nearest = offset < LOG_START ? "earliest" : "latest";
        final long expected = stockOffset(topic, offset, "nearest".equals(policy) ? nearest : policy);
        try (Reading reading = Reading.start(Reading.context(SharedBroker.bootstrapServers(), topic)
            .startPosition(StartPosition.offset(offset)).offsetResetPolicy(policy(policy))))
        {
            reading.until("the reset", () -> reading.hasEvent("reset"));
            SharedBroker.client().produce(topic, 0, List.of(Integer.toString(RECORDS).getBytes()));
            reading.untilCount(0, (int)(RECORDS + 1 - expected));

            assertEquals(LongStream.rangeClosed(expected, RECORDS).boxed().toList(), reading.offsets(0));
            assertEquals(LongStream.rangeClosed(expected, RECORDS).mapToObj(Long::toString).toList(),
                reading.values(0));
            final boolean isGap = expected > offset;
            final String reset = "reset 0 from " + offset + " to " + expected;
            assertEquals(isGap ?
                List.of(reset, "gap 0 from " + offset + " to " + expected + " OUT_OF_RANGE") : List.of(reset),
                reading.turns());
            final var counters = reading.consumer().counters();
            assertEquals(1, counters.get(ConsumerCounters.RESETS));
            assertEquals(isGap ? 1 : 0, counters.get(ConsumerCounters.GAPS));
            assertEquals(isGap ? expected - offset : 0, counters.get(ConsumerCounters.OFFSETS_SKIPPED));
            assertEquals(List.of(), reading.errors());
        }
    }

    @Test
    void shouldContinueAtTheEndWhenNoRecordIsRecent() throws Exception
    {
        final String topic = topic(RECORDS);
        try (Reading reading = Reading.start(Reading.context(SharedBroker.bootstrapServers(), topic)
            .startPosition(StartPosition.offset(FAR_BEYOND))
            .offsetResetPolicy(OffsetResetPolicy.byDuration(Duration.ofHours(1)))))
        {
            reading.until("the reset", () -> reading.hasEvent("reset"));
            SharedBroker.client().produce(topic, 0, List.of("new".getBytes()));
            reading.untilCount(0, 1);

            assertEquals(List.of("new"), reading.values(0));
            assertEquals(List.of("reset 0 from " + FAR_BEYOND + " to " + RECORDS), reading.turns());
        }
    }

    // Behaviour K140, tried 2026-11-29: If the records at the next offset were deleted, the reset policy applies:
    // reading continues after a reset, or the partition stops with an error.
    @Test
    void shouldReportRecordsThatWereDeletedBeforeTheyWereRead() throws Exception
    {
        final String topic = topic(0);
        try (Reading reading = Reading.start(Reading.context(SharedBroker.bootstrapServers(), topic)
            .offsetResetPolicy(OffsetResetPolicy.earliest())))
        {
            reading.until("ten records", 1, () -> reading.count(0) == 10);
            reading.consumer().pause(0);
            deleteBefore(topic, 45);
            reading.consumer().resume(0);
            reading.untilCount(0, 10 + 15);

            assertEquals(LongStream.concat(LongStream.range(10, 20), LongStream.range(45, RECORDS)).boxed().toList(),
                reading.offsets(0));
            assertEquals(List.of("reset 0 from 20 to 45", "gap 0 from 20 to 45 OUT_OF_RANGE"), reading.turns());
            assertEquals(25, reading.consumer().counters().get(ConsumerCounters.OFFSETS_SKIPPED));
        }
    }

    // Behaviour K130, K140.
    @Test
    void shouldStopOnlyThePartitionWithoutAPolicy() throws Exception
    {
        final String topic = SharedBroker.topic(2, RECORDS);
        deleteBefore(topic, LOG_START);
        try (Reading reading = Reading.start(Reading.context(SharedBroker.bootstrapServers(), topic)
            .startPosition(StartPosition.offset(5))))
        {
            reading.untilCount(1, RECORDS - 5);
            reading.until("the stop", () -> reading.hasEvent("stopped"));

            assertEquals(List.of("stopped 0 at 5 for OUT_OF_RANGE error 1"), reading.turns());
            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertEquals(0, reading.count(0));
            reading.consumer().seek(0, LOG_START);
            reading.untilCount(0, (int)(RECORDS - LOG_START));
        }
    }
}
