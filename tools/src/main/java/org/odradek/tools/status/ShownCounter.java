// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * A counter that the client of a file shows.
 *
 * @param name   in words, as the file has it.
 * @param worker index of the worker that the counter belongs to; {@link #NO_WORKER} for a counter of the client.
 * @param value  at present.
 * @param metric that exports it; null if only a later release knows the counter.
 */
record ShownCounter(String name, int worker, long value, ExportedMetric metric)
{
    static final int NO_WORKER = -1;

    /**
     * The counters of a file: those of a consumer and then those of its workers, or those of a publisher. Of a later
     * release only those of a consumer are known to be shown.
     */
    static List<ShownCounter> of(final CountersFileReader file)
    {
        final List<ShownCounter> all = new ArrayList<>();
        final boolean isPublisher = file.kind() == ClientKind.PUBLISHER;
        if (isPublisher)
        {
            addOfPublisher(file.publisherTotals(), all);
        }
        final int count = file.totalCount();
        for (int id = 0; id < count; id++)
        {
            final ListedCounter counter = id < ListedCounter.count() ? ListedCounter.of(id) : null;
            if (!isPublisher || counter != null && counter.isOfEachClient())
            {
                all.add(new ShownCounter(
                    file.totalName(id), NO_WORKER, file.total(id), counter == null ? null : counter.metric()));
            }
        }
        addOfWorkers(file, all);
        return all;
    }

    private static void addOfPublisher(final long[] values, final List<ShownCounter> all)
    {
        for (int i = 0; i < ListedCounter.publisherCount(); i++)
        {
            final int id = ListedCounter.FIRST_ID_OF_PUBLISHER + i;
            if (id < values.length && values[id] != CountersFileReader.NULL_VALUE)
            {
                final ListedCounter counter = ListedCounter.ofPublisher(id);
                all.add(new ShownCounter(counter.name(), NO_WORKER, values[id], counter.metric()));
            }
        }
    }

    private static void addOfWorkers(final CountersFileReader file, final List<ShownCounter> all)
    {
        for (int id = 0; id < ListedCounter.workerCount(); id++)
        {
            final ListedCounter counter = ListedCounter.ofWorker(id);
            final long[] values = file.workerValues(id);
            for (int w = 0; w < values.length; w++)
            {
                if (values[w] != CountersFileReader.NULL_VALUE)
                {
                    all.add(new ShownCounter(counter.name() + " of worker " + w, w, values[w], counter.metric()));
                }
            }
        }
    }

    /** Whether it may decrease, or its rate is of no interest. */
    boolean isGauge()
    {
        return metric != null && !metric.isCounter();
    }
}
