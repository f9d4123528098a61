// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.examples.sbe.MessageHeaderDecoder;
import org.odradek.examples.sbe.SampleDecoder;
import org.odradek.protocol.record.Record;

/**
 * Reads values in Simple Binary Encoding in place, with the flyweights that sbe-tool generates: {@code SbeValues
 * HOST:PORT TOPIC COUNT} adds up the samples of the first records of a topic.
 */
public final class SbeValues implements RecordHandler
{
    private static final int LEAST_LENGTH = MessageHeaderDecoder.ENCODED_LENGTH + SampleDecoder.BLOCK_LENGTH;
    private static final long WAIT_NS = 100_000_000L;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final SampleDecoder sample = new SampleDecoder();
    private double sum;
    private int count;

    @Override
    public void onRecord(final Record record)
    {
        count++;
        // The buffer holds more than this value, so nothing else stops a read after its end.
        if (record.valueLength() >= LEAST_LENGTH)
        {
            header.wrap(record.buffer(), record.valueIndex());
            if (header.schemaId() == SampleDecoder.SCHEMA_ID && header.templateId() == SampleDecoder.TEMPLATE_ID)
            {
                sample.wrap(record.buffer(), record.valueIndex() + MessageHeaderDecoder.ENCODED_LENGTH,
                    SampleDecoder.BLOCK_LENGTH, header.version());
                sum += sample.value();
            }
        }
    }

    /** Reads records until there were so many, and returns the sum of their samples. */
    double sum(final TopicConsumer consumer, final int records)
    {
        sum = 0;
        count = 0;
        while (count < records)
        {
            consumer.poll(this, records - count, WAIT_NS);
        }
        return sum;
    }

    /**
     * @param args bootstrap servers, topic, the number of records.
     */
    public static void main(final String[] args)
    {
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(args[0])
            .topic(args[1])
            .startPosition(StartPosition.earliest());
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            System.out.println(new SbeValues().sum(consumer, Integer.parseInt(args[2])));
        }
    }
}
