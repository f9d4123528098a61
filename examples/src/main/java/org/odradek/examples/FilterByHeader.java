// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.charset.StandardCharsets;

/**
 * Selects the records that have a given header. The name is compared in place, without allocating.
 */
public final class FilterByHeader implements RecordHandler
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 100_000_000L;

    private final byte[] name;
    private final RecordHandler next;
    private long seen;

    FilterByHeader(final String name, final RecordHandler next)
    {
        this.name = name.getBytes(StandardCharsets.UTF_8);
        this.next = next;
    }

    @Override
    public void onRecord(final Record record)
    {
        seen++;
        final RecordHeadersFlyweight headers = record.headers();
        if (headers.next(name))
        {
            next.onRecord(record);
        }
    }

    /**
     * @param args bootstrap servers, topic, name of the header, the number of records to read.
     */
    public static void main(final String[] args)
    {
        if (args.length != 4)
        {
            System.err.println("usage: FilterByHeader HOST:PORT TOPIC HEADER COUNT");
            System.exit(2);
        }
        read(args[0], args[1], args[2], Long.parseLong(args[3]), (record) ->
            System.out.println(record.partition() + " " + record.offset()));
    }

    static void read(
        final String bootstrapServers,
        final String topic,
        final String header,
        final long count,
        final RecordHandler handler)
    {
        final FilterByHeader filter = new FilterByHeader(header, handler);
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(bootstrapServers).topic(topic).startPosition(StartPosition.earliest())))
        {
            while (filter.seen < count)
            {
                consumer.poll(filter, (int) Math.min(count - filter.seen, RECORD_LIMIT), WAIT_NS);
            }
        }
    }
}
