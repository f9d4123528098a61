// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.partitions;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.testkit.ThreadUsage;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One consumer over all partitions of the topic: how long until it is ready, then what its fetches cost.
 */
final class PartitionsRun
{
    private static final int FIGURES = 5;
    private static final int RECORD_LIMIT = 1_000;
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long READY_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(5);

    private final PartitionsPlan plan;
    private final FetchSessionMode mode;
    private long sum;
    private final RecordHandler handler = (record) -> sum += record.valueLength();
    private Throwable error;

    PartitionsRun(final PartitionsPlan plan, final FetchSessionMode mode)
    {
        this.plan = plan;
        this.mode = mode;
    }

    /**
     * @return a line of the table.
     */
    String run(final String bootstrap, final String topic)
    {
        final ConsumerContext context = new ConsumerContext().bootstrapServers(bootstrap).topic(topic)
            .partitions(IntStream.range(0, plan.partitions()).toArray()).expectedLeaders(1)
            .startPosition(StartPosition.earliest()).fetchSession(mode)
            .errorHandler((cause) -> error = cause).conclude();
        final long startNs = System.nanoTime();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            if (!consumer.awaitReady(READY_TIMEOUT_NS))
            {
                throw new IllegalStateException("odradek is not ready:\n" + consumer.describe());
            }
            final long readyMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            poll(consumer);
            // Made before the first is filled, so that none is in what was allocated between.
            final long[] before = new long[FIGURES];
            final long[] after = new long[FIGURES];
            fill(before, consumer);
            poll(consumer);
            fill(after, consumer);
            if (error != null)
            {
                throw new IllegalStateException("odradek: " + error.getMessage(), error);
            }
            return line(context, consumer, readyMs, before, after);
        }
    }

    private void poll(final TopicConsumer consumer)
    {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(plan.seconds()))
        {
            consumer.poll(handler, RECORD_LIMIT, POLL_TIMEOUT_NS);
        }
    }

    private static void fill(final long[] figures, final TopicConsumer consumer)
    {
        final ConsumerCounters counters = consumer.counters();
        figures[0] = counters.fetches();
        figures[1] = counters.records();
        figures[2] = counters.get(ConsumerCounters.BYTES_RECEIVED);
        figures[3] = ThreadUsage.cpuNs();
        figures[4] = ThreadUsage.allocatedBytes();
    }

    private String line(
        final ConsumerContext context,
        final TopicConsumer consumer,
        final long readyMs,
        final long[] before,
        final long[] after)
    {
        final double fetches = Math.max(1, after[0] - before[0]);
        return String.format(Locale.ROOT, "| %s | %,d | %,d | %,.0f | %,.1f | %,.0f | %,.1f | %,d | %,d | %,d |",
            mode, plan.partitions(), readyMs, fetches, (after[1] - before[1]) / fetches,
            (after[2] - before[2]) / fetches, (after[3] - before[3]) / fetches / 1_000, after[4] - before[4],
            context.memoryBudget(), consumer.counters().get(ConsumerCounters.BUDGET_EXCEEDED_BYTES));
    }

    static String header()
    {
        return "| sessions | partitions | ready ms | fetches | records/fetch | bytes received/fetch | " +
            "CPU us/fetch | bytes allocated | budget bytes | beyond budget |\n|---|" + "---:|".repeat(9);
    }
}
