// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.junit.jupiter.api.Test;
import org.odradek.protocol.ErrorCode;

import java.util.List;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What is reported about a batch that the broker refuses: which record it names, and what it says. */
class RefusedRecordsTest
{
    private static final int VERSION = 8;

    private static FailedBatch refused(
        final Publishing client,
        final ProducingBroker broker,
        final Consumer<PartitionProduceResponse> answer,
        final String... values)
    {
        broker.script((call, response) ->
        {
            response.responses().forEach((topic) -> topic.partitionResponses().forEach(answer));
            return call.answer(response);
        });
        client.topic().skipFailed(0);
        final int count = client.failed.size();
        client.offer(0, values);
        client.workUntil(() -> client.failed.size() > count);
        return client.failed.get(count);
    }

    private static Consumer<PartitionProduceResponse> invalid(
        final String message, final BatchIndexAndErrorMessage... records)
    {
        return (partition) -> partition.setErrorCode(ErrorCode.INVALID_RECORD).setBaseOffset(-1)
            .setErrorMessage(message).setRecordErrors(List.of(records));
    }

    private static BatchIndexAndErrorMessage named(final int index, final String message)
    {
        return new BatchIndexAndErrorMessage().setBatchIndex(index).setBatchIndexErrorMessage(message);
    }

    // Behaviour Q220.
    @Test
    void shouldNameTheRecordThatTheBrokerNames()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final FailedBatch batch = refused(client, broker,
                invalid("one of them", named(1, "no\u0007key"), named(2, "nor this")), "a", "b", "c");

            assertEquals(new FailedBatch(ProducingBroker.TOPIC, 0, 1, 3, FailureReason.REFUSED,
                ErrorCode.INVALID_RECORD, false, 2, "no?key"), batch);
            assertEquals(List.of("Partition 0 of topic published stops, because its records 1 to 3 were refused with " +
                "INVALID_RECORD because of record 2 ('no?key'); they were not written; skipFailed goes on after them."),
                client.errors);
        }
    }

    @Test
    void shouldReportWhatTheBrokerSaysOfTheBatch()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final FailedBatch ofBatch = refused(client, broker, invalid("of the batch", named(0, null)), "a", "b");
            assertEquals(1, ofBatch.refusedPosition());
            assertEquals("of the batch", ofBatch.message());

            // No record has these numbers.
            for (final int index : new int[] {-1, 2, Integer.MIN_VALUE, Integer.MAX_VALUE})
            {
                final FailedBatch batch = refused(client, broker, invalid(null, named(index, "text")), "a", "b");
                assertEquals(FailedBatch.NO_POSITION, batch.refusedPosition());
                assertEquals("text", batch.message());
            }
            final FailedBatch batch = refused(client, broker, invalid(null), "a", "b");
            assertEquals(FailedBatch.NO_POSITION, batch.refusedPosition());
            assertNull(batch.message());
        }
    }

    @Test
    void shouldReportNoTextOfAnOlderBroker()
    {
        try (ProducingBroker broker = ProducingBroker.start(1, VERSION - 1);
            Publishing client = Publishing.start(broker))
        {
            final FailedBatch batch = refused(client, broker, (partition) ->
                partition.setErrorCode(ErrorCode.INVALID_RECORD).setBaseOffset(-1), "a", "b");

            assertEquals(FailedBatch.NO_POSITION, batch.refusedPosition());
            assertNull(batch.message());
        }
    }

    /** Kafka's producer splits such a batch; here it must not be as long. */
    @Test
    void shouldNameTheLengthsOfABatchThatIsTooLarge()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).batchLength(5_000), ProducingBroker.TOPIC))
        {
            final Consumer<PartitionProduceResponse> tooLarge = (partition) ->
                partition.setErrorCode(ErrorCode.MESSAGE_TOO_LARGE).setBaseOffset(-1);
            final FailedBatch two = refused(client, broker, tooLarge, "a".repeat(2_000), "b".repeat(2_000));
            assertEquals(FailedBatch.NO_POSITION, two.refusedPosition());
            assertEquals("Partition 0 of topic published stops, because its records 1 to 2 were refused with " +
                "MESSAGE_TOO_LARGE: the batch has " + broker.sent.get(0).bytes().length + " bytes, batchLength is " +
                "5000, and it must not be above max.message.bytes of the topic; they were not written; skipFailed " +
                "goes on after them.", client.errors.get(0));

            final FailedBatch one = refused(client, broker, tooLarge, "c");
            assertEquals(3, one.refusedPosition());
            assertEquals("Partition 0 of topic published stops, because its record 3 was refused with " +
                "MESSAGE_TOO_LARGE: the batch has " + broker.sent.get(1).bytes().length + " bytes, batchLength is " +
                "5000, and it must not be above max.message.bytes of the topic; it was not written; skipFailed goes " +
                "on after it.", client.errors.get(1));
        }
    }
}
