// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Keys must be in the partitions in which kafka-clients puts them. */
class KeyHashTest
{
    private static final int KEYS = 1_000_000;
    private static final int MAX_LENGTH = 130;
    private static final int MAX_PARTITIONS = 5_000;

    // Behaviour Q213, tried 2026-11-30: Keys choose the partition that Kafka's clients choose. Records without a key
    // are added to one partition until they have the bytes of a batch, and then to the next partition that has a leader
    // and has not stopped.
    @Test
    void shouldChooseThePartitionsThatKafkaChooses()
    {
        final Random random = new Random(11);
        final byte[] bytes = new byte[2 * MAX_LENGTH];
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        for (int i = 0; i < KEYS; i++)
        {
            random.nextBytes(bytes);
            final int length = i % MAX_LENGTH;
            final int index = random.nextInt(MAX_LENGTH);
            final int partitions = 1 + random.nextInt(MAX_PARTITIONS);
            final byte[] key = Arrays.copyOfRange(bytes, index, index + length);
            assertEquals(BuiltInPartitioner.partitionForKey(key, partitions),
                KeyHash.partition(buffer, index, length, partitions), () -> Arrays.toString(key));
        }
    }

    @Test
    void shouldReadNothingBeyondTheBuffer()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
        assertThrows(IndexOutOfBoundsException.class, () -> KeyHash.partition(buffer, 5, 4, 3));
        assertThrows(IndexOutOfBoundsException.class, () -> KeyHash.partition(buffer, 0, -1, 3));
    }

    // Behaviour Q213.
    @Test
    void shouldChooseByKeyOncePartitionsAreKnown()
    {
        final UnsafeBuffer key = new UnsafeBuffer("key".getBytes(StandardCharsets.UTF_8));
        try (ProducingBroker broker = ProducingBroker.start(3);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            final TopicPublisher topic = client.topic();
            assertEquals(OfferResult.NOT_CONNECTED, topic.partitionForKey(key, 0, 3));
            client.publisher.awaitReady(Publishing.TIMEOUT_NS);

            assertEquals(BuiltInPartitioner.partitionForKey("key".getBytes(StandardCharsets.UTF_8), 3),
                topic.partitionForKey(key, 0, 3));
        }
    }
}
