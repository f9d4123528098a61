/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.net.Poller;
import org.odradek.consumer.net.TransportType;

/**
 * Several topics on one thread: one wait for all of them, then each one's poll, which does not wait.
 */
public final class ManyConsumersOneThread
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 100_000_000L;

    private ManyConsumersOneThread()
    {
    }

    /**
     * @param args bootstrap servers, how many records in all, topics.
     */
    public static void main(final String[] args)
    {
        if (args.length < 3)
        {
            System.err.println("usage: ManyConsumersOneThread HOST:PORT COUNT TOPIC...");
            System.exit(2);
        }
        final String[] topics = new String[args.length - 2];
        System.arraycopy(args, 2, topics, 0, topics.length);
        final long[] counts = read(args[0], Long.parseLong(args[1]), topics);
        for (int i = 0; i < topics.length; i++)
        {
            System.out.println(topics[i] + ": " + counts[i] + " records");
        }
    }

    static long[] read(final String bootstrapServers, final long count, final String... topics)
    {
        final long[] counts = new long[topics.length];
        final TopicConsumer[] consumers = new TopicConsumer[topics.length];
        final RecordHandler[] handlers = new RecordHandler[topics.length];
        try (Poller poller = Poller.open(TransportType.AUTO))
        {
            for (int i = 0; i < topics.length; i++)
            {
                final int consumer = i;
                handlers[i] = (record) -> counts[consumer]++;
                consumers[i] = TopicConsumer.connect(new ConsumerContext()
                    .bootstrapServers(bootstrapServers)
                    .topic(topics[i])
                    .startPosition(StartPosition.earliest())
                    .poller(poller));
            }
            long left = count;
            while (left > 0)
            {
                int polled = 0;
                for (int i = 0; i < topics.length; i++)
                {
                    polled += consumers[i].poll(handlers[i], RECORD_LIMIT);
                }
                left -= polled;
                if (polled == 0)
                {
                    poller.await(WAIT_NS);
                }
            }
            for (final TopicConsumer consumer : consumers)
            {
                consumer.close();
            }
        }
        return counts;
    }
}
