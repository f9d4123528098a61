// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.agrona.ErrorHandler;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;

import java.util.concurrent.TimeUnit;

/**
 * Connects our consumer. Apart from {@link OdradekClient}, because HotSpot would make the strings of that class on the
 * polling thread when it compiles one of its methods.
 */
final class OdradekConnection
{
    private static final long READY_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(5);

    private OdradekConnection()
    {
    }

    static TopicConsumer open(
        final ClientSettings settings, final int latencyBudgetMs, final ErrorHandler errorHandler)
    {
        final TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(settings.bootstrap())
            .topic(settings.topic())
            .partitions(settings.partitions())
            .startPosition(StartPosition.latest())
            .fetchMaxBytes(ClientSettings.FETCH_MAX_BYTES)
            .partitionMaxBytes(ClientSettings.PARTITION_MAX_BYTES)
            .fetchMinBytes(ClientSettings.FETCH_MIN_BYTES)
            .fetchMaxWaitMs(ClientSettings.FETCH_MAX_WAIT_MS)
            .latencyBudgetMs(latencyBudgetMs)
            .checkCrcs(true)
            .errorHandler(errorHandler));
        if (!consumer.awaitReady(READY_TIMEOUT_NS))
        {
            final String description = consumer.describe();
            consumer.close();
            throw new IllegalStateException("The consumer is not ready: " + description);
        }
        return consumer;
    }
}
