// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.client.ClientCounters;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.compression.Compressor;
import org.odradek.protocol.record.RecordMemory;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What a listener or a codec throws. An exception of a listener is counted. An error leaves the work in the middle; the
 * next work does the rest, and nothing twice.
 */
class ListenerErrorsTest
{
    private static final int BATCH_LENGTH = 1024;
    /** Of the records of a batch that a codec of a test compresses; it throws for more. */
    private static final int CODEC_LENGTH = 50;

    @Test
    void shouldCountAnExceptionInAnEventOfAConnection()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.onEvent = () ->
            {
                if (client.throttleTimeMs > 0)
                {
                    throw new IllegalArgumentException("of a listener");
                }
            };
            broker.script((call, response) -> call.answer(response.setThrottleTimeMs(1)));
            client.offer(0, "a");
            client.workUntil(() -> client.throttleTimeMs > 0);

            assertEquals(1, client.counter(ClientCounters.LISTENER_ERRORS));
            assertTrue(client.errors.get(0).contains("onThrottled"), client.errors::toString);
        }
    }

    /** The event comes after the acknowledgement of the first record, and nothing answers the second one. */
    @Test
    void shouldNotTakeTheAnswerBeforeForThatToTheNextRequest()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.onEvent = () ->
            {
                if (client.throttleTimeMs > 0)
                {
                    throw new LinkageError("of a listener");
                }
            };
            broker.script((call, response) -> call.answer(response.setThrottleTimeMs(1)))
                .script((call, response) -> Answer.never());
            client.offer(0, "a");
            client.workUntilError();
            client.onEvent = () -> {};
            client.offer(0, "b");
            client.workUntil(() -> broker.sent.size() == 2);
            for (int i = 0; i < 10; i++)
            {
                client.publisher.doWork();
            }

            assertEquals(1, client.topic().acknowledgedPosition(0));
            assertEquals(List.of("acknowledged 0: 1+1"), client.events);
        }
    }

    /** What is left open would be written into the new topic, which gets what is offered after the error. */
    @Test
    void shouldGiveUpEachPartitionOfATopicThatIsAnotherOneAfterAnError()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.offer(1, "b");
            client.acknowledge();
            broker.always((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().forEach((partition) ->
                    partition.setErrorCode(ErrorCode.UNKNOWN_TOPIC_ID).setBaseOffset(-1)));
                return call.answer(response);
            });
            broker.createTopic(ProducingBroker.TOPIC, 2);
            client.failNextEvent();
            client.offer(0, "c");
            client.offer(1, "d");
            client.workUntilError();
            assertTrue(client.topic().isStopped(0));
            assertEquals(1, recreatedCount(client));
            client.topic().skipFailed(0);
            client.offer(0, "e");
            broker.always(null);
            client.workUntil(() -> client.topic().isStopped(1));

            final String failed = client.events.get(client.events.size() - 1);
            assertTrue(failed.startsWith("failed 1: 2+1 TOPIC_RECREATED "), client.events::toString);
            assertEquals(2, client.counter(PublisherCounters.EPOCH_BUMPS));
            client.workUntil(() -> client.topic().acknowledgedPosition(0) == 3);
            assertEquals(1, recreatedCount(client));
        }
    }

    private static long recreatedCount(final Publishing client)
    {
        return client.errors.stream()
            .filter((error) -> error.contains("was deleted and created again: what")).count();
    }

    @Test
    void shouldGiveUpEachPartitionWithoutAnIdAfterAnError()
    {
        try (ProducingBroker broker = ProducingBroker.start(2).id(-1, -1, ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
            .id(-1, -1, ErrorCode.CLUSTER_AUTHORIZATION_FAILED);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            client.workUntil(() -> client.topic().partitionCount() == 2 && client.errors.size() == 1);
            client.failNextEvent();
            client.offer(0, "a");
            client.offer(1, "b");
            client.workUntilError();
            client.workUntil(() -> client.topic().isStopped(1));

            assertTrue(client.topic().isStopped(0));
            assertEquals(List.of("failed 1: 1+1 NO_PRODUCER_ID 31"), client.events);
            assertEquals(List.of(), broker.sent);
        }
    }

    /** A partition before that of the batch is neither forgotten nor sent twice in one request. */
    @Test
    void shouldSendEachBatchOnceAfterAnExceptionOfACodec()
    {
        try (ProducingBroker broker = ProducingBroker.start(2);
            Compressor codec = new Compressor(Compression.GZIP.codec, Compressor.DEFAULT_LEVEL, CODEC_LENGTH);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).batchLength(BATCH_LENGTH), ProducingBroker.TOPIC))
        {
            client.offer(0, "a");
            // In the place of another one.
            client.publisher.resources.pool.take();
            client.publisher.resources.pool.release(
                new Batch(new RecordMemory(BATCH_LENGTH), 0, BATCH_LENGTH, codec));
            client.offer(1, "b".repeat(2 * CODEC_LENGTH));
            assertThrows(IllegalArgumentException.class, client.publisher::doWork);
            client.offer(0, "c");
            client.acknowledge();

            assertEquals(List.of("0: 4711, epoch 0, sequence 0, count 1", "1: 4711, epoch 0, sequence 0, count 1",
                "0: 4711, epoch 0, sequence 1, count 1"),
                broker.sent.stream().map(ProducingBroker.Sent::numbers).toList());
        }
    }
}
