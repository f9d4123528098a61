// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.core.Settings;
import org.odradek.consumer.security.SecuritySettings;

import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads the properties of a kafka-clients consumer into settings. Keys are applied in the order of their names.
 * docs/kafka-properties.md says what becomes of each key.
 */
final class KafkaProperties
{
    /**
     * The number of letters by which an unknown name may differ from the key that it suggests.
     */
    private static final int MAX_TYPOS = 3;

    private final Settings settings;
    private final Map<String, KafkaValue> values;
    private final Consumer<? super String> notes;

    private KafkaProperties(
        final Settings settings, final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        this.settings = settings;
        values = ConfigProviders.values(properties, notes);
        this.notes = notes;
    }

    /**
     * Reads the properties into settings, and passes a sentence on each key that is ignored to {@code notes}.
     *
     * @return how connections are encrypted and authenticated.
     * @throws IllegalArgumentException with one sentence that names the key, its value and what it must be.
     */
    static SecuritySettings read(
        final Settings settings, final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        final KafkaProperties reading = new KafkaProperties(settings, properties, notes);
        reading.values.forEach(reading::apply);
        reading.noteMissingAutoCommit();
        reading.limitBackoffs();
        return KafkaSecurity.read(reading.values, notes);
    }

    private void apply(final String name, final KafkaValue value)
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
            key.apply(settings, value, notes);
        }
    }

    private void noteMissingAutoCommit()
    {
        if (values.containsKey("group.id") && !values.containsKey("enable.auto.commit"))
        {
            notes.accept("enable.auto.commit is not given, and its default in Kafka is true: nothing is " +
                "committed automatically unless GroupSettings.from joins the group");
        }
    }

    /**
     * As in Kafka, a reconnect backoff that is given without a maximum does not grow (a retry backoff does), and no
     * backoff is above its maximum.
     */
    private void limitBackoffs()
    {
        if (values.containsKey("reconnect.backoff.ms") && !values.containsKey("reconnect.backoff.max.ms"))
        {
            settings.reconnectBackoffMaxMs = settings.reconnectBackoffMs;
        }
        settings.reconnectBackoffMs = Math.min(settings.reconnectBackoffMs, settings.reconnectBackoffMaxMs);
        settings.retryBackoffMs = Math.min(settings.retryBackoffMs, settings.retryBackoffMaxMs);
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
