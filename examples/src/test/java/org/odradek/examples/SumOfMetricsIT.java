// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Timeout(600)
class SumOfMetricsIT
{
    private static final int RECORDS = 100_000;
    private static final long WAIT_NS = 100_000_000L;

    /** The handler that is tested. */
    private static final class Sum implements RecordHandler
    {
        private long sum;
        private int count;

        @Override
        public void onRecord(final Record record)
        {
            sum += record.valueLong(0, ByteOrder.BIG_ENDIAN);
            count++;
        }
    }

    private final Sum sum = new Sum();

    @Test
    void shouldAddAllValuesAndAllocateNothing()
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.createTopic("metrics", 1);
            broker.produce("metrics", 0, RECORDS, (i) -> ByteBuffer.allocate(Long.BYTES).putLong(i).array());

            final ConsumerContext context = new ConsumerContext()
                .bootstrapServers(broker.bootstrapServers())
                .topic("metrics")
                .startPosition(StartPosition.earliest());
            try (TopicConsumer consumer = TopicConsumer.connect(context))
            {
                read(consumer);
                assertEquals((long)RECORDS * (RECORDS - 1) / 2, sum.sum);

                final long bytes = new AllocationMeter().leastBytes(50, () ->
                {
                    consumer.seek(0, 0);
                    read(consumer);
                });
                assertEquals(0, bytes);
            }
        }
    }

    private void read(final TopicConsumer consumer)
    {
        sum.sum = 0;
        sum.count = 0;
        while (sum.count < RECORDS && !Thread.currentThread().isInterrupted())
        {
            consumer.poll(sum, 1_000, WAIT_NS);
        }
    }
}
