// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.agrona.DirectBuffer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * Our consumer of one topic and what is done with its records: to the next topic, or to the end of the chain. It stands
 * behind what its partitions hold when it is made, and is polled by the thread that made it, or that
 * {@link #awaitReady()} was called on.
 */
final class OdradekReader implements AutoCloseable
{
    private static final int RECORD_LIMIT = 10_000;
    private static final long READY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(120);

    private final RecordHandler handler;
    private final TopicConsumer consumer;
    private final String nextTopic;
    private final StockProducer producer;
    private final ChainEnd end;
    private Throwable error;

    /**
     * @param poller   shared with others of the thread, or null.
     * @param producer for a service.
     * @param end      for what stands behind the last topic, else null.
     */
    OdradekReader(
        final ChainSettings settings,
        final int step,
        final int[] partitions,
        final Poller poller,
        final StockProducer producer,
        final ChainEnd end)
    {
        nextTopic = settings.topic(step + 1);
        this.producer = producer;
        this.end = end;
        handler = end == null ? this::forward : this::arrive;
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(settings.bootstrap())
            .topic(settings.topic(step))
            .partitions(partitions)
            .startPosition(StartPosition.latest())
            .errorHandler(this::onError);
        consumer = TopicConsumer.connect(poller == null ? context : context.poller(poller));
    }

    void awaitReady()
    {
        if (!consumer.awaitReady(READY_TIMEOUT_NS))
        {
            throw new IllegalStateException("odradek is not ready:\n" + consumer.describe());
        }
    }

    int poll(final long timeoutNs)
    {
        final int records = consumer.poll(handler, RECORD_LIMIT, timeoutNs);
        if (error != null)
        {
            throw new IllegalStateException("odradek: " + error.getMessage(), error);
        }
        return records;
    }

    @Override
    public void close()
    {
        consumer.close();
    }

    private void forward(final Record message)
    {
        final DirectBuffer buffer = message.buffer();
        producer.send(nextTopic, message.partition(), buffer.getInt(message.keyIndex(), ByteOrder.BIG_ENDIAN) + 1,
            buffer.getLong(message.valueIndex(), ByteOrder.BIG_ENDIAN));
    }

    private void arrive(final Record message)
    {
        final DirectBuffer buffer = message.buffer();
        end.onMessage(message.partition(), buffer.getInt(message.keyIndex(), ByteOrder.BIG_ENDIAN),
            buffer.getLong(message.valueIndex(), ByteOrder.BIG_ENDIAN));
    }

    private void onError(final Throwable cause)
    {
        error = cause;
    }
}
