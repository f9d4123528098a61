// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.TransportType;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.AllocationMeter;

import java.util.concurrent.TimeUnit;

/**
 * Main class of a JVM that reads a topic with a latency budget while another process writes to it, and prints how many
 * bytes its polling thread allocated between two of many batched fetches. It warms up until several rounds in a row
 * have allocated nothing.
 */
public final class TrickleProbe
{
    private static final int BUDGET_MS = 10;
    private static final int FETCHES = 100;
    private static final int FETCHES_PER_ROUND = 20;
    private static final int RECORD_LIMIT = 1_000;
    private static final long TIMEOUT_NS = 5_000_000;

    /**
     * After this time, the connection that looked up the first position is closed as idle, and closing one allocates.
     */
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(20);

    private static long clockShiftNs;
    private static long sum;

    private TrickleProbe()
    {
    }

    /** @param args bootstrap servers, topic and transport, and perhaps a file of Kafka's properties. */
    public static void main(final String[] args)
    {
        final AllocationMeter meter = new AllocationMeter();
        final RecordHandler handler = TrickleProbe::onRecord;
        try (TopicConsumer consumer = TopicConsumer.connect(AllocationProbe.secured(args.length > 3 ? args[3] : null)
            .bootstrapServers(args[0]).topic(args[1]).transport(TransportType.valueOf(args[2]))
            .startPosition(StartPosition.latest()).latencyBudgetMs(BUDGET_MS)
            .nanoClock(() -> System.nanoTime() + clockShiftNs)))
        {
            consumer.awaitReady(TimeUnit.SECONDS.toNanos(30));
            clockShiftNs += IDLE_NS;
            AllocationProbe.warmUp(meter, () -> read(consumer, handler, FETCHES_PER_ROUND));
            meter.start();
            final long records = read(consumer, handler, FETCHES);
            meter.stop();
            System.out.println("bytes=" + meter.allocatedBytes() + " records=" + (records > FETCHES) + " " +
                Long.signum(sum));
        }
    }

    private static long read(final TopicConsumer consumer, final RecordHandler handler, final int fetches)
    {
        final long end = consumer.counters().get(ConsumerCounters.BATCHED_FETCHES) + fetches;
        long records = 0;
        while (consumer.counters().get(ConsumerCounters.BATCHED_FETCHES) < end)
        {
            records += consumer.poll(handler, RECORD_LIMIT, TIMEOUT_NS);
        }
        return records;
    }

    private static void onRecord(final Record record)
    {
        sum += record.offset() + 1;
    }
}
