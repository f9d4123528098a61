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
 * @param value  at present.
 * @param metric that exports it; null if only a later release knows the counter.
 */
record ShownCounter(String name, long value, ExportedMetric metric)
{
    /**
     * The counters of a file: those of a consumer, or of a publisher. Of a later release only those of a consumer are
     * known to be shown.
     */
    static List<ShownCounter> of(final CountersFileReader file)
    {
        final List<ShownCounter> all = new ArrayList<>();
        final boolean isPublisher = file.kind() == ClientKind.PUBLISHER;
        final long[] own = file.publisherTotals();
        for (int id = 0; isPublisher && id < Math.min(own.length, ListedCounter.publisherCount()); id++)
        {
            final ListedCounter counter = ListedCounter.ofPublisher(id);
            if (counter.isOfPublisher() && own[id] != CountersFileReader.NULL_VALUE)
            {
                all.add(new ShownCounter(counter.name(), own[id], counter.metric()));
            }
        }
        final int count = file.totalCount();
        for (int id = 0; id < count; id++)
        {
            final ListedCounter counter = id < ListedCounter.count() ? ListedCounter.of(id) : null;
            if (!isPublisher || counter != null && counter.isOfEachClient())
            {
                all.add(new ShownCounter(
                    file.totalName(id), file.total(id), counter == null ? null : counter.metric()));
            }
        }
        return all;
    }

    /** Whether it may decrease, or its rate is of no interest. */
    boolean isGauge()
    {
        return metric != null && !metric.isCounter();
    }
}
