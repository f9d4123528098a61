// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.client.Poller;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.TopicPublisher;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/** The topics of one thread, with our publisher: a key of 4 bytes and a value of 8, as those of the stock producer. */
final class PublishedTopics implements AutoCloseable
{
    private static final int REQUEST_LENGTH = 8 * 1024 * 1024;
    private static final int BATCH_LENGTH = 128 * 1024;
    private static final int BUFFER_MEMORY = 64 * 1024 * 1024;
    private static final long OPEN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final Publisher publisher;
    private final TopicPublisher[] topics;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[Integer.BYTES + Long.BYTES]);

    /** @param poller of the thread, or null for one of its own. */
    PublishedTopics(
        final ChainArm arm,
        final Settings settings,
        final List<String> names,
        final Poller poller,
        final Consumer<Throwable> onError)
    {
        publisher = Publisher.connect(new PublisherContext()
            .bootstrapServers(settings.text("bootstrap"))
            .acks(arm.publisherAcks)
            .sendIntervalUs(1_000 * settings.number("lingerMs"))
            .batchLength(BATCH_LENGTH)
            .bufferMemory(BUFFER_MEMORY)
            .requestMaxLength(REQUEST_LENGTH)
            .expectedLeaders(1)
            .poller(poller)
            .errorHandler(onError::accept));
        topics = names.stream().map(publisher::topic).toArray(TopicPublisher[]::new);
        if (!publisher.awaitReady(OPEN_TIMEOUT_NS))
        {
            throw new IllegalStateException("the publisher is not ready: " + publisher.describe());
        }
    }

    void write(final int topic, final int partition, final int key, final long dueNs)
    {
        message.putInt(0, key, BIG_ENDIAN);
        message.putLong(Integer.BYTES, dueNs, BIG_ENDIAN);
        long result = offer(topic, partition);
        while (result == OfferResult.BACK_PRESSURED)
        {
            publisher.doWork();
            result = offer(topic, partition);
        }
        if (result < 0)
        {
            throw new IllegalStateException("a message was answered with " + OfferResult.name(result));
        }
    }

    private long offer(final int topic, final int partition)
    {
        return topics[topic].offer(partition, message, 0, Integer.BYTES, message, Integer.BYTES, Long.BYTES);
    }

    int work()
    {
        return publisher.doWork();
    }

    /** How long the thread may wait. */
    long waitNs(final long most)
    {
        return Math.max(0, Math.min(most, publisher.nextDeadlineNs() - System.nanoTime()));
    }

    @Override
    public void close()
    {
        publisher.close(0);
    }
}
