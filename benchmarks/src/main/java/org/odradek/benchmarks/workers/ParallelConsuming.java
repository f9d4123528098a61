// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.ThreeLongs;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Confluent's parallel-consumer, in order by key, which polls and handles on threads of its own. */
final class ParallelConsuming implements Handling
{
    private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final ParallelStreamProcessor<Long, byte[]> processor;

    ParallelConsuming(final Settings settings, final Tally tally)
    {
        final ThreadLocal<Tally.Share> shares = ThreadLocal.withInitial(tally::share);
        // It finds the records of a key with equals, which arrays do not have.
        processor = ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<Long, byte[]>builder()
            .consumer(StockPool.consumer(settings, new LongDeserializer()))
            .ordering(ProcessingOrder.KEY).maxConcurrency(settings.number("workers"))
            .batchSize(settings.number("batchSize"))
            .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS).build());
        processor.subscribe(List.of(settings.text("topic")));
        processor.poll((context) -> context.forEach((record) ->
            shares.get().onRecord(ThreeLongs.first(record.value()), ThreeLongs.others(record.value()))));
    }

    @Override
    public void work(final int recordLimit)
    {
        LockSupport.parkNanos(LOOK_INTERVAL_NS);
        if (processor.isClosedOrFailed())
        {
            throw new IllegalStateException("The parallel consumer has ended.");
        }
    }

    @Override
    public void close()
    {
        processor.closeDontDrainFirst(CLOSE_TIMEOUT);
    }

    @Override
    public boolean isHandlingAll()
    {
        return false;
    }
}
