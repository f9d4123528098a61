// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BytecodeLengthsTest
{
    private static final String PREFIX = "BytecodeLengthsTest$Methods.";

    private static final class Methods
    {
        void empty()
        {
        }

        int one()
        {
            return 1;
        }

        int one(final int other)
        {
            return 1 + other;
        }

        int[] many()
        {
            return new int[] {
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4,
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4
            };
        }
    }

    private final SortedMap<String, Integer> lengths = BytecodeLengths.in(BytecodeLengthsTest.class, "");

    @Test
    void shouldReadTheLengthOfEachMethod()
    {
        assertEquals(1, lengths.get(PREFIX + "empty"));
        assertEquals(4, lengths.get(PREFIX + "one"), "the longer one of the two");
    }

    @Test
    void shouldFindAMethodThatIsTooLong()
    {
        final SortedMap<String, Integer> methods = new TreeMap<>(lengths);
        methods.keySet().removeIf((name) -> !name.startsWith(PREFIX));

        assertEquals(List.of(PREFIX + "many"), BytecodeLengths.tooLong(methods));
        methods.replaceAll((name, length) -> BytecodeLengths.MAX_INLINED);
        assertTrue(BytecodeLengths.tooLong(methods).isEmpty());
    }
}
