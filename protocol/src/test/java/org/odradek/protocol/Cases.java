// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Random contents from fixed seeds. A test that fails reports its seed. */
public final class Cases
{
    private static final int COUNT = 300;
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz.-_0123456789\u00e4\u20ac";

    private Cases()
    {
    }

    public static IntStream versions(final ApiKey apiKey)
    {
        return IntStream.rangeClosed(apiKey.minVersion(), apiKey.maxVersion());
    }

    public static void forEach(final int version, final Consumer<Random> test)
    {
        for (int i = 0; i < COUNT; i++)
        {
            final long seed = 1_000_000L * version + i;
            try
            {
                test.accept(new Random(seed));
            }
            catch (final RuntimeException | AssertionError failure)
            {
                throw new AssertionError("version " + version + ", seed " + seed + ": " + failure, failure);
            }
        }
    }

    /** Returns a random count: mostly small, often 0, sometimes large. */
    public static int count(final Random random)
    {
        return random.nextInt(20) == 0 ? 130 + random.nextInt(20) : random.nextInt(4);
    }

    public static String text(final Random random)
    {
        final int length = random.nextInt(10) == 0 ? 100 + random.nextInt(100) : random.nextInt(12);
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++)
        {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    public static String textOrNull(final Random random)
    {
        return random.nextInt(4) == 0 ? null : text(random);
    }

    public static byte[] bytes(final Random random, final int bound)
    {
        final byte[] bytes = new byte[random.nextInt(bound)];
        random.nextBytes(bytes);
        return bytes;
    }

    public static Uuid uuid(final Random random)
    {
        return new Uuid(random.nextLong(), random.nextLong());
    }

    /** Returns unknown tagged fields, above the known ones and in ascending order, as the format requires. */
    public static List<RawTaggedField> unknownTags(final Random random)
    {
        final List<RawTaggedField> tags = new ArrayList<>();
        int tag = 10;
        for (int i = random.nextInt(3); i > 0; i--)
        {
            tag += 1 + random.nextInt(300);
            tags.add(new RawTaggedField(tag, bytes(random, 200)));
        }
        return tags;
    }

    public static void addUnknownTags(final Random random, final boolean isFlexible, final List<RawTaggedField> tags)
    {
        if (isFlexible)
        {
            tags.addAll(unknownTags(random));
        }
    }
}
