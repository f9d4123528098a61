// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.protocol.record.Record;

import java.io.PrintStream;

/**
 * Prints a number of records of a topic, from its beginning: {@code PrintRecords HOST:PORT TOPIC COUNT}.
 */
public final class PrintRecords
{
    private static final long WAIT_NS = 100_000_000L;

    private PrintRecords()
    {
    }

    /**
     * @param args bootstrap servers, topic, the number of records.
     */
    public static void main(final String[] args)
    {
        if (args.length != 3)
        {
            System.err.println("usage: PrintRecords HOST:PORT TOPIC COUNT");
            System.exit(2);
        }
        print(args[0], args[1], Integer.parseInt(args[2]), System.out);
    }

    static void print(final String bootstrapServers, final String topic, final int count, final PrintStream out)
    {
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(bootstrapServers)
            .topic(topic)
            .startPosition(StartPosition.earliest());
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            int left = count;
            while (left > 0)
            {
                left -= consumer.poll((record) -> print(record, out), left, WAIT_NS);
            }
        }
    }

    private static void print(final Record record, final PrintStream out)
    {
        out.println(record.partition() + " " + record.offset() + " " + record.timestamp() + " " +
            text(record, record.keyIndex(), record.keyLength()) + " " +
            text(record, record.valueIndex(), record.valueLength()));
    }

    private static String text(final Record record, final int index, final int length)
    {
        return length == Record.NULL_LENGTH ? "null" :
            record.buffer().getStringWithoutLengthUtf8(index, length);
    }
}
