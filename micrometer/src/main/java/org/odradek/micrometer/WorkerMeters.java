// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;

/**
 * The meters of the workers of a consumer in one registry. {@link #follow()} adds those of new workers, because a
 * consumer that is started again may have more workers.
 */
final class WorkerMeters
{
    private final MetricsSource source;
    private final Meters meters;
    private final Tags tags;
    private int count;
    private boolean isClosed;

    WorkerMeters(final MetricsSource source, final MeterRegistry registry, final Tags tags)
    {
        this.source = source;
        this.tags = tags;
        meters = new Meters(source, registry);
    }

    /** Registers the meters of new workers. */
    synchronized void follow()
    {
        final int workers = isClosed ? 0 : source.workers();
        for (; count < workers; count++)
        {
            for (int id = 0; id < ListedCounter.workerCount(); id++)
            {
                add(ListedCounter.ofWorker(id), count);
            }
        }
    }

    private void add(final ListedCounter counter, final int worker)
    {
        final ExportedMetric metric = counter.metric();
        meters.add(metric, tags.and("worker", String.valueOf(worker)), metric.isCounter() ?
            () -> metric.value(source.count(counter, worker)) : () -> known(metric, source.total(counter, worker)));
    }

    private static double known(final ExportedMetric metric, final long value)
    {
        return value < 0 ? Double.NaN : metric.value(value);
    }

    /** Removes all meters. */
    synchronized void close()
    {
        isClosed = true;
        meters.close();
    }
}
