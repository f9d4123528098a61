// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.SystemNanoClock;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.publisher.Publisher;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Binds the metrics of one consumer or publisher to registries of Micrometer, under the names of {@link ExportedMetric}
 * and, with {@link #kafkaNames}, also under a dozen names of Kafka's own consumer. The values are read on the threads
 * that read the registry.
 * <p>
 * The metrics with the names of {@link ExportedMetric} have the tag {@code topic}, which is empty for a publisher, and
 * the tag {@code client}, which is the client id, or the path of the file if only a counters file is read. Metrics of
 * partitions also have the tag {@code partition}, and metrics of workers the tag {@code worker}. Reading {@code
 * odradek.partitions} adds and removes the gauges of partitions as the assignment changes. The metrics of partitions
 * and workers, and the time since the last poll or work, need a counters file. Histograms need a consumer of this
 * process that records them.
 */
public final class OdradekMetrics implements MeterBinder, AutoCloseable
{
    private static final double[] QUANTILES = {0.5, 0.99, 0.999, 1};
    private static final String[] QUANTILE_NAMES = {"0.5", "0.99", "0.999", "1"};
    private static final double NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double MS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    private final MetricsSource source;
    private final Tags userTags;
    private final String topic;
    private final String name;
    /** The fetch latency; null if there are no histograms. */
    private final HistogramWindow fetchLatency;
    private final HistogramWindow recordAge;
    private final List<Runnable> removals = new ArrayList<>();
    private boolean hasKafkaNames;

    /**
     * Binds the metrics of a consumer of this process.
     *
     * @param consumer the consumer, which is also read after it was closed.
     * @param tags     further tags of all metrics. Two consumers with the same topic and client id need different tags.
     */
    public OdradekMetrics(final TopicConsumer consumer, final Iterable<Tag> tags)
    {
        source = new MetricsSource(ClientKind.CONSUMER, new ConsumerClient(consumer), consumer.countersFile());
        userTags = Tags.of(tags);
        topic = consumer.topic();
        name = consumer.clientId();
        final ConsumerHistograms histograms = consumer.histograms();
        fetchLatency = histograms.isOn() ? window(consumer, histograms.fetchLatencyNs(), NS_PER_SECOND) : null;
        recordAge = histograms.isOn() ? window(consumer, histograms.recordAgeMs(), MS_PER_SECOND) : null;
    }

    /**
     * Binds the metrics of a publisher of this process.
     *
     * @param publisher the publisher, which is also read after it was closed.
     * @param tags      further tags of all metrics. Two publishers with the same client id need different tags.
     */
    public OdradekMetrics(final Publisher publisher, final Iterable<Tag> tags)
    {
        source = new MetricsSource(ClientKind.PUBLISHER, new PublisherClient(publisher), publisher.countersFile());
        userTags = Tags.of(tags);
        topic = "";
        name = publisher.clientId();
        fetchLatency = null;
        recordAge = null;
    }

    /**
     * Binds the metrics of a consumer or publisher of any process on this machine.
     *
     * @param countersFile the path of the client's counters file. When the client is started again, its new file is
     *                     read, and the counters continue from the previous values.
     * @param tags         the additional tags.
     * @throws IllegalArgumentException if the file does not exist, or is not a counters file that can be read.
     */
    public OdradekMetrics(final Path countersFile, final Iterable<Tag> tags)
    {
        source = new MetricsSource(countersFile);
        userTags = Tags.of(tags);
        topic = source.file().topic();
        name = countersFile.toString();
        fetchLatency = null;
        recordAge = null;
    }

    private record ConsumerClient(TopicConsumer consumer) implements MetricsSource.Client
    {
        @Override
        public long value(final ListedCounter counter)
        {
            return consumer.counters().get(counter.id());
        }

        @Override
        public Thread owner()
        {
            return consumer.owner();
        }
    }

    private record PublisherClient(Publisher publisher) implements MetricsSource.Client
    {
        @Override
        public long value(final ListedCounter counter)
        {
            return publisher.counters().get(counter.id());
        }

        @Override
        public Thread owner()
        {
            return publisher.owner();
        }
    }

    private static HistogramWindow window(
        final TopicConsumer consumer, final Histogram histogram, final double perSecond)
    {
        return new HistogramWindow(SystemNanoClock.INSTANCE, consumer.counters(), histogram, perSecond);
    }

    /**
     * Sets whether to bind also a dozen names of Kafka's consumer, such as {@code
     * kafka.consumer.fetch.manager.records.lag}. The default is false. Most of these metrics have no tag for the topic,
     * so consumers of one registry need different client ids or tags. A publisher has none of these metrics.
     */
    public OdradekMetrics kafkaNames(final boolean isOn)
    {
        hasKafkaNames = isOn;
        return this;
    }

    /**
     * Registers the metrics with a registry.
     *
     * @throws IllegalStateException if {@link #kafkaNames} is set and the registry already has these names of a
     *                               consumer with the same client id and tags, or if {@link #kafkaNames} is set for a
     *                               publisher.
     */
    @Override
    public void bindTo(final MeterRegistry registry)
    {
        if (hasKafkaNames && !source.isConsumer())
        {
            throw new IllegalStateException(
                "kafkaNames are those of Kafka's consumer, which a publisher does not have");
        }
        final Tags tags = userTags.and(Tag.of("topic", topic), Tag.of("client", name));
        final Tags kafkaTags = hasKafkaNames ? KafkaNames.tags(userTags, name) : null;
        final Meters meters = new Meters(source, registry);
        if (hasKafkaNames)
        {
            KafkaNames.addFirst(meters, registry, source, kafkaTags, name);
        }
        final PartitionMeters partitions = new PartitionMeters(
            source, registry, tags, hasKafkaNames ? kafkaTags.and("topic", topic) : null);
        final WorkerMeters workers = new WorkerMeters(source, registry, tags);
        for (final ListedCounter counter : source.shown())
        {
            final ExportedMetric metric = counter.metric();
            meters.add(metric, tags, metric.isCounter() ?
                () -> metric.value(source.count(counter)) : () -> metric.value(source.total(counter)));
        }
        if (source.hasFile())
        {
            addFile(meters, tags);
        }
        if (source.hasClient())
        {
            meters.add(ExportedMetric.THREAD_ALLOCATED, tags, source::allocatedBytes);
        }
        if (source.isConsumer())
        {
            addOfConsumer(meters, tags, kafkaTags, partitions, workers);
        }
        partitions.follow();
        workers.follow();
        synchronized (removals)
        {
            removals.add(meters::close);
            removals.add(partitions::close);
            removals.add(workers::close);
        }
    }

    private void addOfConsumer(
        final Meters meters, final Tags tags, final Tags kafkaTags, final PartitionMeters partitions,
        final WorkerMeters workers)
    {
        meters.add(ExportedMetric.LAST_HEARTBEAT_AGE, tags, source::heartbeatAge);
        if (source.hasFile())
        {
            meters.add(ExportedMetric.PARTITIONS, tags, () ->
            {
                workers.follow();
                return partitions.follow();
            });
        }
        if (fetchLatency != null)
        {
            addQuantiles(meters, ExportedMetric.FETCH_LATENCY, tags, fetchLatency);
            addQuantiles(meters, ExportedMetric.RECORD_AGE, tags, recordAge);
        }
        if (hasKafkaNames)
        {
            KafkaNames.add(meters, source, kafkaTags, topic, partitions::follow, fetchLatency);
        }
    }

    private void addFile(final Meters meters, final Tags tags)
    {
        meters.add(ExportedMetric.UP, tags, () -> source.file().isUp(
            System.currentTimeMillis(), CountersFileReader.MAX_POLL_AGE_MS_DEFAULT) ? 1 : 0);
        meters.add(ExportedMetric.CLOSED, tags, () -> source.file().endMs() == 0 ? 0 : 1);
        meters.add(ExportedMetric.START_TIME, tags, () -> source.file().startMs() / MS_PER_SECOND);
        meters.add(ExportedMetric.LAST_POLL_AGE, tags,
            () -> source.file().pollAgeMs(System.currentTimeMillis()) / MS_PER_SECOND);
    }

    private static void addQuantiles(
        final Meters meters, final ExportedMetric metric, final Tags tags, final HistogramWindow window)
    {
        for (int i = 0; i < QUANTILES.length; i++)
        {
            final double quantile = QUANTILES[i];
            meters.add(metric, tags.and("quantile", QUANTILE_NAMES[i]), () -> window.quantile(quantile));
        }
    }

    /** Removes the metrics from all registries. This does not close the client. */
    @Override
    public void close()
    {
        synchronized (removals)
        {
            removals.forEach(Runnable::run);
            removals.clear();
        }
    }
}
