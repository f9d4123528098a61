// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.agrona.DirectBuffer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.ClientTask;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.client.security.TlsProviderType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * Our consumer as its user writes it; with {@code defaults=true} it fetches as its own defaults say. What has string
 * constants is in {@link Opening}: HotSpot would make the strings of this class on the polling thread when it compiles
 * one of its methods.
 */
public final class OdradekClient implements Client
{
    private static final int LONGEST_REST_IN_WAITS = 3;

    private final RecordHandler handler;
    private final Sink sink;
    private final Opening opening;
    private final TopicConsumer consumer;
    private Throwable error;

    public OdradekClient(final Settings settings, final Sink sink)
    {
        this.sink = sink;
        opening = new Opening(settings);
        handler = opening.isReadingBuffer ? this::onRecordInBuffer : this::onRecord;
        // A run with trouble in it measures the trouble.
        consumer = TopicConsumer.connect(
            opening.context(settings, sink.isLive()).errorHandler((cause) -> error = cause));
        Opening.awaitReady(consumer);
        if (opening.isMember && !consumer.group().awaitStable(Opening.READY_TIMEOUT_NS))
        {
            throw new IllegalStateException("odradek owns no partitions:\n" + consumer.describe());
        }
    }

    /** What is read from the settings once. */
    public record Opening(
        int[] partitions,
        int recordLimit,
        boolean isReadingBuffer,
        boolean isMember,
        long pollTimeoutNs,
        int fetchMaxWaitMs)
    {
        private static final long READY_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(5);
        private static final String TLS_PROVIDER = "tlsProvider";
        private static final String CONNECTIONS = "fetchConnections";
        private static final String MEMORY = "fetchMemory";
        private static final String GROUP = "group";

        private Opening(final Settings settings)
        {
            this(settings.numbers("partitions"), settings.number("recordLimit"), settings.has("readsBuffer"),
                settings.has(GROUP), TimeUnit.MILLISECONDS.toNanos(settings.number("pollTimeoutMs")),
                settings.number("fetchMaxWaitMs"));
        }

        private ConsumerContext context(final Settings settings, final boolean isLive)
        {
            final Properties properties = settings.connection();
            if (!settings.is("defaults"))
            {
                properties.putAll(Arms.fetchProperties(settings));
            }
            if (isMember)
            {
                // Each topic is one case.
                properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.text(GROUP) + "-" + settings.text("topic"));
                properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
            }
            final ConsumerContext context = ConsumerContext.from(properties).topic(settings.text("topic"));
            (isMember ? context.joinGroup() : context.partitions(partitions))
                .startPosition(isLive && !settings.has(ClientTask.FROM_START) ? StartPosition.latest() :
                StartPosition.earliest())
                .latencyBudgetMs((int)settings.number(Arms.BUDGET_MS, 0));
            if (settings.has(CONNECTIONS))
            {
                context.fetchConnections(settings.number(CONNECTIONS));
            }
            if (settings.has(MEMORY))
            {
                context.fetchMemory(settings.number(MEMORY));
            }
            if (settings.has(TLS_PROVIDER))
            {
                context.security().tls().provider(TlsProviderType.valueOf(settings.text(TLS_PROVIDER)));
            }
            return context;
        }

        /** @throws IllegalStateException if the consumer cannot fetch within minutes. */
        public static void awaitReady(final TopicConsumer consumer)
        {
            if (!consumer.awaitReady(READY_TIMEOUT_NS))
            {
                final String description = consumer.describe();
                consumer.close();
                throw new IllegalStateException("odradek is not ready:\n" + description);
            }
        }
    }

    @Override
    public void poll()
    {
        consumer.poll(handler, opening.recordLimit, opening.pollTimeoutNs);
        if (error != null)
        {
            throw new IllegalStateException(error);
        }
    }

    private void onRecord(final Record record)
    {
        sink.onValue(record.partition(), record.offset(), record.valueLength(),
            record.valueLong(ThreeLongs.FIRST, ThreeLongs.ORDER),
            record.valueLong(ThreeLongs.SECOND, ThreeLongs.ORDER) +
            record.valueLong(ThreeLongs.THIRD, ThreeLongs.ORDER));
    }

    private void onRecordInBuffer(final Record record)
    {
        final DirectBuffer buffer = record.buffer();
        final int index = record.valueIndex();
        sink.onValue(record.partition(), record.offset(), record.valueLength(),
            buffer.getLong(index + ThreeLongs.FIRST),
            buffer.getLong(index + ThreeLongs.SECOND) + buffer.getLong(index + ThreeLongs.THIRD));
    }

    @Override
    public void rewind()
    {
        for (final int partition : opening.partitions)
        {
            consumer.seek(partition, 0);
            consumer.resume(partition);
        }
    }

    /** Paused, it sends no new fetch, and the one that waits at the end of the log ends. */
    @Override
    public void rest()
    {
        for (final int partition : opening.partitions)
        {
            consumer.pause(partition);
        }
        final long restNs = TimeUnit.MILLISECONDS.toNanos(LONGEST_REST_IN_WAITS * opening.fetchMaxWaitMs);
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < restNs)
        {
            consumer.poll((record) -> {}, opening.recordLimit, restNs);
        }
    }

    @Override
    public long fetches()
    {
        return consumer.counters().fetches();
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
