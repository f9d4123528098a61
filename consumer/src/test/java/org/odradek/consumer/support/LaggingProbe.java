// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.AllocationMeter;

/**
 * Reads partitions that always lag, over several connections: in the middle of each log it returns to the beginning, so
 * that no connection is closed. The settings are the properties of {@link AllocationProbe}.
 */
public final class LaggingProbe
{
    static final int FETCH_MAX_BYTES = 1 << 14;
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 300_000;

    private final int partitions = Integer.getInteger(AllocationProbe.PREFIX + "partitions");
    private final long turnAt = Long.getLong(AllocationProbe.PREFIX + "recordsPerPartition") / 2;
    private final long[] next = new long[partitions];
    private final RecordHandler handler = this::onRecord;
    private final TopicConsumer consumer;
    private long records;

    private LaggingProbe(final TopicConsumer consumer)
    {
        this.consumer = consumer;
    }

    public static void main(final String[] args)
    {
        final ConsumerContext context = AllocationProbe.context()
            .startPosition(StartPosition.earliest()).fetchMaxBytes(FETCH_MAX_BYTES)
            .transport(TransportType.valueOf(System.getProperty(AllocationProbe.PREFIX + "transport")));
        final boolean isClean;
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            isClean = new LaggingProbe(consumer).run();
            System.out.println(consumer.describe());
        }
        System.exit(isClean ? 0 : 1);
    }

    private boolean run()
    {
        final AllocationMeter meter = new AllocationMeter();
        final long round = partitions * turnAt * ReadingLoop.PASSES;
        AllocationProbe.warmUp(meter, () -> read(round));
        final long before = records;
        meter.start();
        read(round);
        meter.stop();
        final long extra = consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_ADDED) -
            consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_REMOVED);
        System.out.println("window=1 records=" + (records - before) + " connections=" + (1 + extra) + " bytes=" +
            meter.allocatedBytes());
        return meter.allocatedBytes() == 0;
    }

    private void read(final long count)
    {
        final long end = records + count;
        while (records < end)
        {
            records += consumer.poll(handler, RECORD_LIMIT, WAIT_NS);
        }
    }

    private void onRecord(final Record record)
    {
        final int partition = record.partition();
        if (record.offset() != next[partition] || record.buffer().getLong(record.valueIndex()) != next[partition])
        {
            throw new IllegalStateException("offset " + record.offset() + " instead of " + next[partition] +
                " in partition " + partition);
        }
        next[partition]++;
        if (next[partition] == turnAt)
        {
            next[partition] = 0;
            consumer.seek(partition, 0);
        }
    }
}
