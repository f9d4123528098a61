// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.odradek.client.metrics.ExportedMetric;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/** The meters of one client in one registry. */
final class Meters
{
    private final MetricsSource source;
    private final MeterRegistry registry;
    private final List<Meter> registered = new ArrayList<>();

    Meters(final MetricsSource source, final MeterRegistry registry)
    {
        this.source = source;
        this.registry = registry;
    }

    void add(final ExportedMetric metric, final Tags tags, final DoubleSupplier value)
    {
        if (metric.isCounter())
        {
            counter(metric.name(), metric.unit(), metric.help(), tags, value);
        }
        else
        {
            gauge(metric.name(), metric.unit(), metric.help(), tags, value);
        }
    }

    /**
     * Adds a counter.
     *
     * @return the meter of the registry, which is the existing one if the registry has a meter with this name and these
     *         tags.
     */
    Meter counter(
        final String name, final String unit, final String help, final Tags tags, final DoubleSupplier value)
    {
        final Meter meter = FunctionCounter.builder(name, source, (ignore) -> value.getAsDouble())
            .baseUnit(unit).description(help).tags(tags).register(registry);
        registered.add(meter);
        return meter;
    }

    void gauge(final String name, final String unit, final String help, final Tags tags, final DoubleSupplier value)
    {
        registered.add(Gauge.builder(name, source, (ignore) -> value.getAsDouble()).strongReference(true)
            .baseUnit(unit).description(help).tags(tags).register(registry));
    }

    void close()
    {
        registered.forEach(registry::remove);
        registered.clear();
    }
}
