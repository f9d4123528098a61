// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * One key of kafka-clients' {@code ConsumerConfig}, or all that begin alike, and what becomes of it.
 *
 * @param name    of the key; ends in an asterisk if it stands for all that begin so.
 * @param kind    what becomes of it.
 * @param same    of an ignored or rejected key: the value that says what is so anyway, or null.
 * @param text    of an accepted key: what it sets; else: why it is ignored or rejected.
 * @param setting of an accepted key: what it does, else null.
 */
record KafkaKey(
    String name, Kind kind, String same, String text, BiConsumer<ConsumerContext, KafkaValue> setting)
{
    /** What becomes of a key. */
    enum Kind
    {
        ACCEPTED,
        IGNORED,
        REJECTED
    }

    static KafkaKey accepted(
        final String name, final String text, final BiConsumer<ConsumerContext, KafkaValue> setting)
    {
        return new KafkaKey(name, Kind.ACCEPTED, null, text, setting);
    }

    static KafkaKey ignored(final String name, final String text)
    {
        return ignoredUnless(name, null, text);
    }

    static KafkaKey ignoredUnless(final String name, final String same, final String text)
    {
        return new KafkaKey(name, Kind.IGNORED, same, text, null);
    }

    static KafkaKey rejectedUnless(final String name, final String same, final String text)
    {
        return new KafkaKey(name, Kind.REJECTED, same, text, null);
    }

    boolean isOf(final String key)
    {
        return name.endsWith("*") ? key.startsWith(name.substring(0, name.length() - 1)) : name.equals(key);
    }

    /**
     * @throws IllegalArgumentException with one sentence that names the key, its value and what would be right.
     */
    void apply(final ConsumerContext context, final KafkaValue value, final Consumer<? super String> notes)
    {
        if (kind == Kind.ACCEPTED)
        {
            setting.accept(context, value);
        }
        else if (same == null || !value.is(same))
        {
            if (kind == Kind.REJECTED)
            {
                throw value.wrong((same.isEmpty() ? "it must be empty" : "it must be " + same) + ", because " + text);
            }
            // Without its value, which may be a password.
            notes.accept(value.key() + " is ignored: " + text);
        }
    }
}
