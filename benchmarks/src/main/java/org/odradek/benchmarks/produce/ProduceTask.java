// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.produce;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Meters;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;

import java.util.concurrent.TimeUnit;

/**
 * Publishes with one client. {@code publish} publishes {@code records} as fast as it can, until all are acknowledged.
 * {@code trickle MS} publishes {@code rate} records a second on schedule; latencies are those from when a record was
 * due until its acknowledgement. Settings, besides those of the client: {@code records}, or {@code rate}.
 */
public final class ProduceTask implements RigMain.Task
{
    static final String PUBLISH = "publish";
    static final String TRICKLE = "trickle";

    private final Settings settings;
    private Producing producing;
    private long number;
    private long periodNs;
    private volatile long originNs;
    private final Histogram latencies = Usage.histogram();

    public ProduceTask(final Settings settings)
    {
        this.settings = settings;
    }

    @Override
    public Object obey(final String word, final String argument)
    {
        return switch (word)
        {
            case Child.OPEN -> open();
            case PUBLISH -> publish(settings.number("records"));
            case TRICKLE -> trickle(Integer.parseInt(argument));
            default -> throw new IllegalArgumentException("A producer cannot do " + word + ".");
        };
    }

    private Object open()
    {
        producing = Producing.open(settings, settings.has("rate") ? this::onAcknowledged : null);
        return RigMain.state("open");
    }

    private Usage publish(final int records)
    {
        final Usage usage = new Usage();
        final Meters meters = new Meters();
        meters.begin();
        for (int i = 0; i < records; i++)
        {
            producing.offer(number++);
        }
        producing.flush();
        return end(meters, usage, records);
    }

    private Usage end(final Meters meters, final Usage usage, final int records)
    {
        meters.end(usage);
        usage.records = records;
        usage.bytes = (long)records * settings.number("valueLength");
        return usage;
    }

    private Usage trickle(final int ms)
    {
        periodNs = TimeUnit.SECONDS.toNanos(1) / settings.number("rate");
        final int records = (int)(TimeUnit.MILLISECONDS.toNanos(ms) / periodNs);
        final long end = number + records;
        latencies.reset();
        final Usage usage = new Usage();
        final Meters meters = new Meters();
        meters.begin();
        originNs = System.nanoTime() - number * periodNs;
        while (number < end)
        {
            final long nowNs = System.nanoTime();
            while (number < end && dueNs(number) - nowNs <= 0)
            {
                producing.offer(number++);
            }
            producing.work(Math.max(1, dueNs(number) - System.nanoTime()));
        }
        producing.flush();
        end(meters, usage, records);
        if (latencies.getTotalCount() != records)
        {
            throw new IllegalStateException(latencies.getTotalCount() + " of " + records + " were acknowledged");
        }
        usage.latency = Usage.encode(latencies);
        return usage;
    }

    private long dueNs(final long ofNumber)
    {
        return originNs + ofNumber * periodNs;
    }

    /** On a thread of the producer, if it has one; a flush comes between that and the next use of the histogram. */
    private void onAcknowledged(final long acknowledged)
    {
        latencies.recordValue(Math.max(Usage.LEAST_NS, System.nanoTime() - dueNs(acknowledged)));
    }
}
