// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.odradek.affinity.PinnedAgent;
import org.odradek.consumer.ConsumerAgent;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Receives records on one core and aggregates them on another (this agent), with a ring buffer between them, and prints
 * the throughput each second:
 * {@code PinnedPipeline HOST:PORT TOPIC COUNT INGEST-CORE AGGREGATE-CORE}.
 */
public final class PinnedPipeline implements Agent, MessageHandler
{
    private static final int LIMIT = 1_000;

    /** Written by the aggregating thread, read by main. */
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final RingBuffer ring = ControlledRing.ringOf(ControlledRing.RING_LENGTH);
    private final PrintStream out;

    PinnedPipeline(final PrintStream out)
    {
        this.out = out;
    }

    /**
     * @param args bootstrap servers, topic, the number of records, two cores.
     */
    public static void main(final String[] args) throws InterruptedException
    {
        if (args.length != 5)
        {
            System.err.println("usage: PinnedPipeline HOST:PORT TOPIC COUNT INGEST-CORE AGGREGATE-CORE");
            System.exit(2);
        }
        new PinnedPipeline(System.out).run(args[0], args[1], Long.parseLong(args[2]),
            Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    }

    void run(final String servers, final String topic, final long count, final int ingestCore, final int aggregateCore)
        throws InterruptedException
    {
        final TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest()));
        final ControlledRing handler = new ControlledRing(ring);
        final Agent ingest = ConsumerAgent.controlled("ingest", consumer, handler, LIMIT);
        try (AgentRunner first = start(ingestCore, ingest);
            AgentRunner second = start(aggregateCore, this))
        {
            for (long before = 0, now = 0;
                now < count && handler.failure() == null && !first.isClosed() && !second.isClosed(); before = now)
            {
                Thread.sleep(1_000);
                now = records.get();
                out.println((now - before) + " records/s, " + now + " in all, " + bytes.get() + " bytes of values");
            }
        }
        if (handler.failure() != null)
        {
            out.println(handler.failure());
        }
    }

    private AgentRunner start(final int core, final Agent agent)
    {
        // Spins first, then sleeps up to 100 us at a time, so that an idle thread does not use a whole core.
        final AgentRunner runner = new AgentRunner(new BackoffIdleStrategy(1_000, 100, 1_000, 100_000),
            (error) -> out.println(error.getMessage()), null, new PinnedAgent(core, agent, out::println));
        AgentRunner.startOnThread(runner);
        return runner;
    }

    @Override
    public int doWork()
    {
        return ring.read(this, LIMIT);
    }

    @Override
    public void onMessage(final int type, final MutableDirectBuffer buffer, final int index, final int length)
    {
        bytes.lazySet(bytes.get() + length - ControlledRing.VALUE_INDEX);
        records.lazySet(records.get() + 1);
    }

    @Override
    public String roleName()
    {
        return "aggregate";
    }
}
