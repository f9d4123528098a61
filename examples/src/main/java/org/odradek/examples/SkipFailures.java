// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.agrona.ErrorHandler;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.RecordHandler;

import java.util.function.BooleanSupplier;

/**
 * Passes records to a store, and leaves out those at which it throws. The error handler is given their partition,
 * offset and cause: {@code SkipFailures HOST:PORT GROUP TOPIC}.
 */
public final class SkipFailures
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 100_000_000L;

    private SkipFailures()
    {
    }

    /** @param args bootstrap servers, group, topic. */
    public static void main(final String[] args)
    {
        run(args[0], args[1], args[2], (record) -> System.out.println(record.partition() + " " + record.offset()),
            Throwable::printStackTrace, () -> true);
    }

    static void run(final String servers, final String group, final String topic, final RecordHandler store,
        final ErrorHandler errors, final BooleanSupplier isRunning)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest())
            .group(new GroupSettings(group))
            .handlerErrorPolicy(HandlerErrorPolicy.SKIP).errorHandler(errors)))
        {
            while (isRunning.getAsBoolean() && consumer.group().state() != GroupState.FAILED)
            {
                consumer.poll(store, RECORD_LIMIT, WAIT_NS);
            }
        }
    }
}
