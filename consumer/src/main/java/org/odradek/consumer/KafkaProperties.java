// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Makes a context from the properties of a kafka-clients consumer, key by key in order of their names.
 */
final class KafkaProperties
{
    /**
     * In how many letters a name may differ from the one that was meant.
     */
    private static final int MAX_TYPOS = 3;

    private final ConsumerContext context = new ConsumerContext();
    private final TreeMap<String, Object> values = new TreeMap<>();
    private final Consumer<? super String> notes;

    private KafkaProperties(final Consumer<? super String> notes)
    {
        this.notes = notes;
    }

    static ConsumerContext read(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        final KafkaProperties reading = new KafkaProperties(notes);
        reading.take(properties);
        reading.values.forEach(reading::apply);
        reading.tellOfCommits();
        reading.settleBackoffs();
        return reading.context;
    }

    private void take(final Map<?, ?> properties)
    {
        if (properties instanceof Properties withDefaults)
        {
            withDefaults.stringPropertyNames().forEach((key) -> values.put(key, withDefaults.getProperty(key)));
        }
        for (final Map.Entry<?, ?> entry : properties.entrySet())
        {
            if (!(entry.getKey() instanceof String key))
            {
                throw new IllegalArgumentException("key " + entry.getKey() + " is no string: Kafka's keys are");
            }
            // Nothing given is as if it were left out.
            if (entry.getValue() != null)
            {
                values.put(key, entry.getValue());
            }
        }
    }

    private void apply(final String name, final Object value)
    {
        final KafkaKey key = KafkaKeys.find(name);
        if (key == null)
        {
            final String near = nearest(name);
            notes.accept(name + " is ignored: it is no key of Kafka's consumer" +
                (near == null ? "" : "; is " + near + " meant?"));
        }
        else
        {
            key.apply(context, new KafkaValue(name, value), notes);
        }
    }

    private void tellOfCommits()
    {
        if (values.containsKey("group.id") && !values.containsKey("enable.auto.commit"))
        {
            notes.accept("enable.auto.commit is not given, and true in Kafka: here nothing is committed to group.id " +
                "by itself");
        }
    }

    /**
     * Kafka does not double a first reconnect backoff that is given without the most, and waits the most of either at
     * once where the first is above it.
     */
    private void settleBackoffs()
    {
        if (values.containsKey("reconnect.backoff.ms") && !values.containsKey("reconnect.backoff.max.ms"))
        {
            context.reconnectBackoffMaxMs = context.reconnectBackoffMs;
        }
        context.reconnectBackoffMs = Math.min(context.reconnectBackoffMs, context.reconnectBackoffMaxMs);
        context.retryBackoffMs = Math.min(context.retryBackoffMs, context.retryBackoffMaxMs);
    }

    private static String nearest(final String name)
    {
        String nearest = null;
        int least = MAX_TYPOS + 1;
        for (final KafkaKey key : KafkaKeys.all())
        {
            final int distance = distance(name, key.name());
            if (distance < least)
            {
                least = distance;
                nearest = key.name();
            }
        }
        return nearest;
    }

    /**
     * Letters to change, add or leave out until one name is the other (Levenshtein).
     */
    private static int distance(final String from, final String to)
    {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j < above.length; j++)
        {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++)
        {
            final int[] row = new int[above.length];
            row[0] = i;
            for (int j = 1; j < row.length; j++)
            {
                final int changed = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
