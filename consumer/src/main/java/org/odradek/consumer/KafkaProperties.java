// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Creates a context from the properties of a kafka-clients consumer. Keys are applied in the order of their names.
 * docs/kafka-properties.md says what becomes of each key.
 */
public final class KafkaProperties
{
    /**
     * The number of letters by which an unknown name may differ from the key that it suggests.
     */
    private static final int MAX_TYPOS = 3;

    private final ConsumerContext context = new ConsumerContext();
    private final TreeMap<String, Object> values = new TreeMap<>();
    private final Consumer<? super String> notes;

    private KafkaProperties(final Consumer<? super String> notes)
    {
        this.notes = notes;
    }

    /** As {@link #toContext(Map, Consumer)}, with notes on the standard error stream. */
    public static ConsumerContext toContext(final Map<?, ?> properties)
    {
        return toContext(properties, (note) -> System.err.println("odradek: " + note));
    }

    /**
     * Makes a context with the settings that correspond to the properties; at least {@link ConsumerContext#topic} must
     * be set besides. A value has the key's type or is a string, as in Kafka. A null value counts as left out, and
     * settings without a property keep their own defaults.
     *
     * @param properties a map with keys of Kafka's ConsumerConfig, or Properties, whose defaults count too.
     * @param notes      receives a sentence for each key that is ignored, and for a misspelt one.
     * @throws IllegalArgumentException with one sentence that names the key, its value and what it must be, if Kafka
     *                                  would refuse the value or would do with it what this consumer does not.
     */
    public static ConsumerContext toContext(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        final KafkaProperties reading = new KafkaProperties(notes);
        reading.copy(properties);
        reading.values.forEach(reading::apply);
        reading.noteMissingAutoCommit();
        reading.limitBackoffs();
        return reading.context;
    }

    private void copy(final Map<?, ?> properties)
    {
        if (properties instanceof Properties withDefaults)
        {
            withDefaults.stringPropertyNames().forEach((key) -> values.put(key, withDefaults.getProperty(key)));
        }
        for (final Map.Entry<?, ?> entry : properties.entrySet())
        {
            if (!(entry.getKey() instanceof String key))
            {
                throw new IllegalArgumentException(
                    "key " + entry.getKey() + " is not a String, as all keys of Kafka are");
            }
            // A value of null counts as left out.
            if (entry.getValue() != null)
            {
                values.put(key, entry.getValue());
            }
        }
    }

    private void apply(final String name, final Object value)
    {
        final KafkaKey key = KafkaKey.find(name);
        if (key == null)
        {
            final String near = nearest(name);
            notes.accept(name + " is ignored: Kafka's consumer has no such key" +
                (near == null ? "" : "; did you mean " + near + "?"));
        }
        else
        {
            key.apply(context, new KafkaValue(name, value), notes);
        }
    }

    private void noteMissingAutoCommit()
    {
        if (values.containsKey("group.id") && !values.containsKey("enable.auto.commit"))
        {
            notes.accept("enable.auto.commit is not given, and its default in Kafka is true: here nothing is " +
                "committed to group.id automatically");
        }
    }

    /**
     * As in Kafka, a reconnect backoff that is given without a maximum does not grow, and no backoff is above its
     * maximum.
     */
    private void limitBackoffs()
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
        for (final KafkaKey key : KafkaKey.all())
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
     * The number of letters to change, add or remove to turn one name into the other (Levenshtein).
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
