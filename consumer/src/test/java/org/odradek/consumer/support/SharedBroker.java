// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.TopicClient;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One broker for all test classes of a JVM that need it, with a topic for each test. A value that is written here holds
 * its partition and its offset.
 */
public final class SharedBroker implements BeforeAllCallback
{
    public static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    public static final int VALUE_LENGTH = Integer.BYTES + Long.BYTES;

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(SharedBroker.class);
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static volatile EmbeddedBroker broker;

    @Override
    public void beforeAll(final ExtensionContext context)
    {
        broker = context.getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
            .computeIfAbsent("broker", (key) -> EmbeddedBroker.start(), EmbeddedBroker.class);
    }

    public static EmbeddedBroker broker()
    {
        return broker;
    }

    public static TopicClient client()
    {
        return broker.client();
    }

    public static String bootstrapServers()
    {
        return broker.bootstrapServers();
    }

    /** Creates a topic with so many records in each partition, in a few batches each. */
    public static String topic(final int partitions, final int records)
    {
        final String topic = "topic-" + TOPICS.incrementAndGet();
        client().createTopic(topic, partitions, Map.of("retention.ms", "-1", "max.message.bytes", "10000000"));
        for (int p = 0; p < partitions && records > 0; p++)
        {
            append(topic, p, 0, records / 3);
            append(topic, p, records / 3, records / 2);
            append(topic, p, records / 2, records);
        }
        return topic;
    }

    public static void append(final String topic, final int partition, final long fromOffset, final long toOffset)
    {
        client().produce(topic, partition, toOffset - fromOffset, (i) -> value(partition, fromOffset + i));
    }

    public static byte[] value(final int partition, final long offset)
    {
        return ByteBuffer.allocate(VALUE_LENGTH).putInt(partition).putLong(offset).array();
    }

    /** Returns settings with which the broker responds within 20 ms. */
    public static ConsumerContext context(final TransportType transport, final String topic)
    {
        return new ConsumerContext()
            .bootstrapServers(bootstrapServers())
            .topic(topic)
            .transport(transport)
            .fetchMaxWaitMs(20)
            .startPosition(StartPosition.earliest())
            .errorHandler(
                (error) ->
                {
                    throw new AssertionError("the error handler was called: " + error.getMessage(), error);
                });
    }
}
