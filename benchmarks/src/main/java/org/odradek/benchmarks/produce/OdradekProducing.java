// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.produce;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.publisher.Acks;
import org.odradek.publisher.Compression;
import org.odradek.publisher.OfferResult;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherListener;
import org.odradek.publisher.TopicPublisher;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Our publisher, whose thread waits in its poller while all memory is in use. */
final class OdradekProducing implements Producing, PublisherListener
{
    /** Brokers accept no longer ones by default. */
    private static final int MAX_BATCH_LENGTH = 1024 * 1024;
    /** For each partition: one is in flight, one is full, and one is written. */
    private static final int BATCHES = 4;
    static final int BUFFER_MEMORY = 64 * 1024 * 1024;
    static final int REQUEST_LENGTH = 4 * 1024 * 1024;
    static final int SEND_INTERVAL_US = 1_000;
    private static final int RECORDS_PER_WORK = 256;
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final UnsafeBuffer key = new UnsafeBuffer(new byte[Long.BYTES]);
    private final UnsafeBuffer value;
    private final boolean hasKeys;
    private final Acknowledgements acknowledgements;
    private final Poller poller = PublisherContext.openPoller(TransportType.AUTO);
    private final Publisher publisher;
    private final TopicPublisher topic;

    OdradekProducing(final Settings settings, final Acknowledgements acknowledgements)
    {
        this.acknowledgements = acknowledgements;
        value = new UnsafeBuffer(new byte[settings.number("valueLength")]);
        hasKeys = settings.is("hasKeys");
        final PublisherContext context = new PublisherContext()
            .bootstrapServers(settings.text("bootstrap"))
            .acks(ACKS_ALL.equals(settings.text("acks")) ? Acks.ALL : Acks.LEADER)
            .sendIntervalUs(acknowledgements == null ? SEND_INTERVAL_US : 0)
            .batchLength(batchLength(settings.number("partitionCount")))
            .compression(Compression.valueOf(settings.text("compression").toUpperCase(Locale.ROOT)))
            .bufferMemory(BUFFER_MEMORY)
            .requestMaxLength(REQUEST_LENGTH)
            .expectedLeaders(1)
            .poller(poller)
            .errorHandler((error) ->
            {
                throw new IllegalStateException(error);
            });
        publisher = Publisher.connect(acknowledgements == null ? context : context.listener(this));
        topic = publisher.topic(settings.text("topic"));
        check(publisher.awaitReady(TIMEOUT_NS));
    }

    /** As long as the memory allows, for ours and for the stock client. */
    static int batchLength(final int partitions)
    {
        return Math.min(MAX_BATCH_LENGTH, BUFFER_MEMORY / (BATCHES * partitions));
    }

    private void check(final boolean isRight)
    {
        if (!isRight)
        {
            throw new IllegalStateException(publisher.describe());
        }
    }

    @Override
    public void offer(final long number)
    {
        value.putLong(0, number);
        key.putLong(0, number);
        final int partition = hasKeys ? topic.partitionForKey(key, 0, Long.BYTES) : topic.nextPartition();
        long result = offerTo(partition);
        while (result == OfferResult.BACK_PRESSURED)
        {
            work(WAIT_NS);
            result = offerTo(partition);
        }
        check(result > 0);
        if (acknowledgements != null || number % RECORDS_PER_WORK == 0)
        {
            publisher.doWork();
        }
    }

    private long offerTo(final int partition)
    {
        return topic.offer(
            partition, key, 0, hasKeys ? Long.BYTES : TopicPublisher.NULL_LENGTH, value, 0, value.capacity());
    }

    @Override
    public void work(final long waitNs)
    {
        if (publisher.doWork() == 0)
        {
            poller.await(Math.max(1, Math.min(waitNs, publisher.nextDeadlineNs() - System.nanoTime())));
        }
    }

    @Override
    public void flush()
    {
        check(publisher.awaitAcknowledged(TIMEOUT_NS));
    }

    @Override
    public void onAcknowledged(
        final String name, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
        for (int i = 0; i < count; i++)
        {
            // The first record has position 1 and number 0.
            acknowledgements.onAcknowledged(firstPosition - 1 + i);
        }
    }

    @Override
    public void close()
    {
        publisher.close();
        poller.close();
    }
}
