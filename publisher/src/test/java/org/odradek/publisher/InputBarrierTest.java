// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.odradek.client.ClientCounters;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The input of a pipeline is acknowledged after its output, and neither before nor never. */
class InputBarrierTest
{
    private static final int HOUR_MS = 3_600_000;

    private final List<String> acknowledged = new ArrayList<>();

    private void acknowledge(final int partition, final int ownershipEpoch, final long nextOffset)
    {
        acknowledged.add(partition + "/" + ownershipEpoch + ": " + nextOffset);
    }

    /** Answers are lost, delayed by errors, or good, and each input has outputs in random partitions. */
    // Behaviour Q226, tried 2026-11-29: An input is acknowledged only after all its output was acknowledged, also at a
    // close, and not beyond a failure.
    @Test
    void shouldAcknowledgeNoInputBeforeItsOutput()
    {
        final Random random = new Random(43);
        final int inputCount = 4;
        final long[] nextOffset = new long[inputCount];
        final long[] acknowledgedOffset = new long[inputCount];
        final List<List<long[]>> outputs = new ArrayList<>();
        for (int i = 0; i < inputCount; i++)
        {
            outputs.add(new ArrayList<>());
        }
        try (ProducingBroker broker = ProducingBroker.start(3); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            broker.always((call, response) -> switch (random.nextInt(4))
            {
                case 0 -> Answer.close();
                case 1 ->
                {
                    response.responses().forEach((part) -> part.partitionResponses()
                        .forEach((answer) -> answer.setErrorCode(ErrorCode.NOT_ENOUGH_REPLICAS)));
                    yield call.answer(response);
                }
                default -> call.answer(response);
            });
            final InputBarrier barrier = client.publisher.inputBarrier((partition, epoch, offset) ->
            {
                for (long i = acknowledgedOffset[partition]; i < offset; i++)
                {
                    final long[] output = outputs.get(partition).get((int)i);
                    assertTrue(topic.acknowledgedPosition((int)output[0]) >= output[1], "input " + i);
                }
                assertTrue(offset > acknowledgedOffset[partition]);
                acknowledgedOffset[partition] = offset;
            }, 1);
            for (int i = 0; i < 2_000; i++)
            {
                final int input = random.nextInt(inputCount);
                final int output = random.nextInt(3);
                final long position = client.tryOffer(output, "value");
                assertTrue(position > 0);
                outputs.get(input).add(new long[] {output, position});
                barrier.processed(input, 1, ++nextOffset[input]);
                if (random.nextInt(5) == 0)
                {
                    client.publisher.doWork();
                }
            }
            broker.always(null);
            client.acknowledge();
            assertTrue(barrier.isPassed(), barrier::toString);
            assertEquals(0, client.counter(ClientCounters.LISTENER_ERRORS), client.errors::toString);
            for (int i = 0; i < inputCount; i++)
            {
                assertEquals(nextOffset[i], acknowledgedOffset[i]);
            }
        }
    }

    // Behaviour Q226.
    @Test
    void shouldWaitForASkipAfterAFailure()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            final InputBarrier barrier = client.publisher.inputBarrier(this::acknowledge, 0);
            broker.answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, "refused");
            client.offer(1, "written");
            barrier.processed(7, 3, 11);
            client.workUntil(() -> client.topic().isStopped(0) && client.topic().acknowledgedPosition(1) == 1);
            client.publisher.doWork();
            assertEquals(List.of(), acknowledged);
            assertFalse(barrier.isPassed());
            assertTrue(client.publisher.describe().contains(
                "input barrier: 0 partitions processed further, 1 noted, which wait for 1 partitions of the output"));

            client.topic().skipFailed(0);
            // No byte will arrive that ends a wait.
            assertTrue(client.publisher.nextDeadlineNs() - System.nanoTime() <= 0);
            client.publisher.doWork();
            assertEquals(List.of("7/3: 11"), acknowledged);
        }
    }

    @Test
    void shouldAcknowledgeAtAnIntervalAndWhenItIsEnded()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final InputBarrier barrier = client.publisher.inputBarrier(this::acknowledge, HOUR_MS);
            // Nothing was published from it.
            barrier.processed(0, 1, 5);
            client.publisher.doWork();
            assertEquals(List.of("0/1: 5"), acknowledged);

            barrier.processed(0, 1, 6);
            barrier.processed(1, 1, 9);
            barrier.processed(0, 2, 3);
            client.publisher.doWork();
            assertEquals(1, acknowledged.size());
            client.publisher.endSendInterval();
            client.publisher.doWork();
            assertEquals(List.of("0/1: 5", "0/2: 3", "1/1: 9"), acknowledged);
        }
    }

    // Behaviour Q226.
    @Test
    void shouldAcknowledgeInAClose()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final InputBarrier barrier = client.publisher.inputBarrier(this::acknowledge, HOUR_MS);
            barrier.processed(0, 1, 4);
            client.publisher.doWork();
            client.offer(0, "a");
            barrier.processed(0, 1, 5);
            client.publisher.close();
            assertEquals(List.of("0/1: 4", "0/1: 5"), acknowledged);
            assertThrows(IllegalStateException.class, () -> barrier.processed(0, 1, 6));
        }
    }

    @Test
    void shouldSurviveAnExceptionOfTheAcknowledgements()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final InputBarrier barrier = client.publisher.inputBarrier((partition, epoch, offset) ->
            {
                acknowledge(partition, epoch, offset);
                throw new IllegalArgumentException("never owned");
            }, 0);
            barrier.processed(0, 1, 5);
            barrier.processed(1, 1, 6);
            client.publisher.doWork();

            assertEquals(List.of("0/1: 5", "1/1: 6"), acknowledged);
            assertEquals(2, client.counter(ClientCounters.LISTENER_ERRORS));
            assertEquals("An exception was thrown in acknowledge of an input barrier; the call counts as done.",
                client.errors.get(0));
        }
    }

    @Test
    void shouldRefuseWhatCannotBe()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            assertRefused("intervalMs is -1: it must be from 0 to 2147483647",
                () -> client.publisher.inputBarrier(this::acknowledge, -1));
            assertRefused("acknowledgements is null: it must be set", () -> client.publisher.inputBarrier(null, 1));
            final InputBarrier barrier = client.publisher.inputBarrier(this::acknowledge, 0);
            assertRefused("partition -1 of an input: it must be 0 or more", () -> barrier.processed(-1, 1, 1));
        }
    }

    private static void assertRefused(final String sentence, final Executable call)
    {
        assertEquals(sentence, assertThrows(IllegalArgumentException.class, call).getMessage());
    }
}
