// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.odradek.consumer.core.ConsumerSettings;

import java.util.Comparator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One key of kafka-clients' {@code ConsumerConfig} 4.4, or all keys with one prefix, and the treatment of the key.
 *
 * @param name the name of the key; it ends in an asterisk if it stands for all keys with that prefix.
 * @param same for an ignored or rejected key, the value that describes the behaviour of this consumer, or null.
 * @param text for an accepted key or a key of a group, the setting that the key sets; for another key, the reason why
 *             the key is ignored or rejected.
 */
public record KafkaKey(
    String name,
    Kind kind,
    String same,
    String text,
    BiConsumer<ConsumerSettings, KafkaValue> setting,
    BiConsumer<ConsumerSettings.Group, KafkaValue> groupSetting)
{
    private static final int MAX_TYPOS = 3;

    public enum Kind
    {
        ACCEPTED,
        /** {@code ConsumerContext.joinGroup} accepts the key. */
        OF_GROUP,
        REJECTED,
        IGNORED
    }

    static KafkaKey accepted(
        final String name, final String text, final BiConsumer<ConsumerSettings, KafkaValue> setting)
    {
        return new KafkaKey(name, Kind.ACCEPTED, null, text, setting, null);
    }

    static KafkaKey ofGroup(
        final String name, final String text, final BiConsumer<ConsumerSettings.Group, KafkaValue> groupSetting)
    {
        return new KafkaKey(name, Kind.OF_GROUP, null, text, null, groupSetting);
    }

    static KafkaKey ignored(final String name, final String text)
    {
        return ignoredUnless(name, null, text);
    }

    static KafkaKey ignoredUnless(final String name, final String same, final String text)
    {
        return new KafkaKey(name, Kind.IGNORED, same, text, null, null);
    }

    static KafkaKey rejectedUnless(final String name, final String same, final String text)
    {
        return new KafkaKey(name, Kind.REJECTED, same, text, null, null);
    }

    public boolean matches(final String key)
    {
        return name.endsWith("*") ? key.startsWith(name.substring(0, name.length() - 1)) : name.equals(key);
    }

    void apply(
        final ConsumerSettings settings,
        final KafkaValue value,
        final Consumer<? super String> notes,
        final Consumer<? super String> groupNotes)
    {
        if (setting != null)
        {
            setting.accept(settings, value);
        }
        else if (kind == Kind.OF_GROUP)
        {
            groupNotes.accept(value.key() + " is ignored, because no group is joined: joinGroup reads it");
        }
        else if (same == null || !value.is(same))
        {
            if (kind == Kind.REJECTED)
            {
                throw value.wrong((same.isEmpty() ? "it must be empty" : "it must be " + same) + ", because " + text);
            }
            // The note leaves out the value, which may be a password.
            notes.accept(value.key() + " is ignored: " + text);
        }
    }

    static String nearest(final List<KafkaKey> keys, final String name)
    {
        return keys.stream().map(KafkaKey::name).min(Comparator.comparingInt((key) -> distance(name, key)))
            .filter((key) -> distance(name, key) <= MAX_TYPOS).orElse(null);
    }

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
