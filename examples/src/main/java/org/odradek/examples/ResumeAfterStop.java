// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.StopReason;

import java.util.BitSet;
import java.util.function.BooleanSupplier;

/**
 * Passes records to a store that may be down. A partition stops at the record at which the store throws, and nothing
 * after it is committed. The program resumes the partition after the poll, and the record is delivered again after the
 * backoff of the consumer: {@code ResumeAfterStop HOST:PORT GROUP TOPIC}.
 */
public final class ResumeAfterStop implements ConsumerListener
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 100_000_000L;

    private final BitSet failed = new BitSet();

    private ResumeAfterStop()
    {
    }

    /** @param args bootstrap servers, group, topic. */
    public static void main(final String[] args)
    {
        run(args[0], args[1], args[2], (record) -> System.out.println(record.partition() + " " + record.offset()),
            () -> true);
    }

    static void run(final String servers, final String group, final String topic, final RecordHandler store,
        final BooleanSupplier isRunning)
    {
        final ResumeAfterStop stops = new ResumeAfterStop();
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
            .group(new GroupSettings(group)).listener(stops)
            .retryBackoffMs(100, 10_000)))
        {
            while (isRunning.getAsBoolean() && consumer.group().state() != GroupState.FAILED)
            {
                consumer.poll(store, RECORD_LIMIT, WAIT_NS);
                stops.resume(consumer);
            }
        }
    }

    /** Does not resume a partition that has stopped for another reason, of which the error handler is notified. */
    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        if (reason == StopReason.HANDLER)
        {
            failed.set(partition);
        }
    }

    private void resume(final TopicConsumer consumer)
    {
        for (int partition = failed.nextSetBit(0); partition >= 0; partition = failed.nextSetBit(partition + 1))
        {
            if (consumer.isAssigned(partition))
            {
                // Waits for 100 ms after the first failure at an offset, then for twice as long, up to 10 s.
                consumer.resume(partition);
            }
        }
        failed.clear();
    }
}
