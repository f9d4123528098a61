// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.function.BooleanSupplier;

/**
 * Passes records to a store that may be busy. The handler refuses a record that the store does not take, and pauses its
 * partition, so that the others go on. After the pause the record is delivered again:
 * {@code RetryInPlace HOST:PORT GROUP TOPIC}.
 */
public final class RetryInPlace implements ControlledRecordHandler
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 10_000_000L;
    private static final long PAUSE_NS = 200_000_000L;

    private final TopicConsumer consumer;
    private final RecordHandler store;
    /** When the last pause has begun, by {@link System#nanoTime()}. */
    private long pausedNs;

    private RetryInPlace(final TopicConsumer consumer, final RecordHandler store)
    {
        this.consumer = consumer;
        this.store = store;
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
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
            .group(new GroupSettings(group))))
        {
            final RetryInPlace retry = new RetryInPlace(consumer, store);
            while (isRunning.getAsBoolean() && consumer.group().state() != GroupState.FAILED)
            {
                consumer.controlledPoll(retry, RECORD_LIMIT, WAIT_NS);
                retry.resumePaused();
            }
        }
    }

    @Override
    public Action onRecord(final Record record)
    {
        try
        {
            store.onRecord(record);
            return Action.CONTINUE;
        }
        catch (final IllegalStateException ex)
        {
            consumer.pause(record.partition());
            pausedNs = System.nanoTime();
            return Action.ABORT;
        }
    }

    private void resumePaused()
    {
        for (int partition = 0; partition < consumer.partitionCount(); partition++)
        {
            if (consumer.isAssigned(partition) && consumer.isPaused(partition) &&
                System.nanoTime() - pausedNs > PAUSE_NS)
            {
                consumer.resume(partition);
            }
        }
    }
}
