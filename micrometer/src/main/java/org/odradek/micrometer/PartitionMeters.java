// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.odradek.client.metrics.ExportedMetric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;

/** The gauges of the partitions in one registry. */
final class PartitionMeters
{
    private final MetricsSource source;
    private final MeterRegistry registry;
    private final Tags tags;
    /** Null if Kafka's names are not bound. */
    private final Tags kafkaTags;
    /** The gauges of each partition; null for a partition that is not read. */
    private List<?>[] meters = {};
    private boolean isClosed;

    PartitionMeters(
        final MetricsSource source, final MeterRegistry registry, final Tags tags, final Tags kafkaTags)
    {
        this.source = source;
        this.registry = registry;
        this.tags = tags;
        this.kafkaTags = kafkaTags;
    }

    /** Registers the gauges of new partitions, and removes those of partitions that are no longer read. */
    synchronized int follow()
    {
        final int capacity = isClosed ? 0 : source.capacity();
        if (capacity > meters.length)
        {
            meters = Arrays.copyOf(meters, capacity);
        }
        int count = 0;
        for (int p = 0; p < meters.length; p++)
        {
            final boolean isRead = !isClosed && source.nextOffset(p) >= 0;
            count += isRead ? 1 : 0;
            if (isRead && meters[p] == null)
            {
                meters[p] = registered(p);
            }
            else if (!isRead && meters[p] != null)
            {
                meters[p].forEach((meter) -> registry.remove((Meter)meter));
                meters[p] = null;
            }
        }
        return count;
    }

    private List<Meter> registered(final int partition)
    {
        final Tags partitionTags = tags.and("partition", String.valueOf(partition));
        final List<Meter> registered = new ArrayList<>();
        registered.add(gauge(ExportedMetric.NEXT_OFFSET, partitionTags, partition, source::nextOffset));
        registered.add(gauge(ExportedMetric.HIGH_WATERMARK, partitionTags, partition, source::highWatermark));
        registered.add(gauge(ExportedMetric.LAG, partitionTags, partition, source::lag));
        if (kafkaTags != null)
        {
            final Tags allTags = kafkaTags.and("partition", String.valueOf(partition));
            KafkaNames.LAGS.forEach((name, help) -> registered.add(gauge(name, help, allTags, partition, source::lag)));
        }
        return registered;
    }

    private Meter gauge(
        final ExportedMetric metric, final Tags allTags, final int partition, final IntToLongFunction value)
    {
        return gauge(metric.name(), metric.help(), allTags, partition, value);
    }

    private Meter gauge(
        final String name, final String help, final Tags allTags, final int partition, final IntToLongFunction value)
    {
        return Gauge.builder(name, () -> known(value.applyAsLong(partition))).description(help).tags(allTags)
            .register(registry);
    }

    private static double known(final long value)
    {
        return value < 0 ? Double.NaN : value;
    }

    synchronized void close()
    {
        isClosed = true;
        follow();
    }
}
