// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.examples.sbe.MessageHeaderEncoder;
import org.odradek.examples.sbe.SampleEncoder;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.EmbeddedBroker;

import static org.junit.jupiter.api.Assertions.assertEquals;

@ExtendWith(SharedBroker.class)
class SbeValuesIT
{
    private static final int RECORDS = 20_000;

    @Test
    void shouldAddUpAllSamplesAndAllocateNothing()
    {
        final EmbeddedBroker broker = SharedBroker.broker();
        broker.createTopic("samples", 1);
        broker.produce("samples", 0, RECORDS, SbeValuesIT::sample);
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(broker.bootstrapServers())
            .topic("samples")
            .startPosition(StartPosition.earliest());
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            final SbeValues values = new SbeValues();
            assertEquals(RECORDS * (RECORDS - 1) / 2.0, values.sum(consumer, RECORDS));

            final long bytes = new AllocationMeter().leastBytes(50, () ->
            {
                consumer.seek(0, 0);
                values.sum(consumer, RECORDS);
            });
            assertEquals(0, bytes);
        }
    }

    private static byte[] sample(final long number)
    {
        final byte[] value = new byte[MessageHeaderEncoder.ENCODED_LENGTH + SampleEncoder.BLOCK_LENGTH];
        new SampleEncoder().wrapAndApplyHeader(new UnsafeBuffer(value), 0, new MessageHeaderEncoder())
            .sensor(number % 100).timeNs(1_000L * number).value(number);
        return value;
    }
}
