// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;
import java.util.Properties;
import java.util.function.BooleanSupplier;

/**
 * Adds up the values of a topic as a member of a group: SumOfKafkaClients, changed to this library.
 */
final class SumOfValues
{
    private long sum;

    /** The properties name the brokers and the group. */
    long run(final Properties properties, final String topic, final BooleanSupplier isRunning)
    {
        try (TopicConsumer consumer =
            TopicConsumer.connect(ConsumerContext.from(properties).topic(topic).joinGroup()))
        {
            final RecordHandler handler = this::onRecord;
            while (isRunning.getAsBoolean() && consumer.group().state() != GroupState.FAILED)
            {
                consumer.poll(handler, 1_000, 100_000_000L);
            }
        }
        return sum;
    }

    private void onRecord(final Record record)
    {
        if (record.valueLength() == Long.BYTES)
        {
            sum += record.valueLong(0, ByteOrder.BIG_ENDIAN);
        }
    }
}
