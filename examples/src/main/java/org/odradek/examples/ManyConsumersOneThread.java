// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.IdleStrategy;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerAgent;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;

/**
 * Reads several topics on one thread. Each consumer is an agent. When none has work, the thread sleeps in the poller
 * that they share until data arrives for any of them.
 */
public final class ManyConsumersOneThread
{
    private static final int RECORD_LIMIT = 1_000;

    private ManyConsumersOneThread()
    {
    }

    /**
     * @param args bootstrap servers, the total number of records, topics.
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
        final ConsumerAgent[] agents = new ConsumerAgent[topics.length];
        try (Poller poller = ConsumerContext.openPoller(TransportType.AUTO))
        {
            for (int i = 0; i < topics.length; i++)
            {
                final int consumer = i;
                agents[i] = ConsumerAgent.polling(topics[i], TopicConsumer.connect(new ConsumerContext()
                    .bootstrapServers(bootstrapServers)
                    .topic(topics[i])
                    .startPosition(StartPosition.earliest())
                    .poller(poller)), (record) -> counts[consumer]++, RECORD_LIMIT);
            }
            final IdleStrategy idleStrategy = ConsumerAgent.idleStrategy(poller);
            // The agents run on this thread; an AgentRunner would start another.
            try (AgentInvoker invoker = new AgentInvoker(
                (error) -> System.err.println(error.getMessage()), null, new CompositeAgent(agents)))
            {
                invoker.start();
                for (long left = count; left > 0; )
                {
                    final int work = invoker.invoke();
                    left -= work;
                    idleStrategy.idle(work);
                }
            }
        }
        return counts;
    }
}
