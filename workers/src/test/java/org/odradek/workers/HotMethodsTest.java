// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.odradek.harness.ActingPredicates;
import org.odradek.harness.BytecodeLengths;
import org.odradek.protocol.record.Record;

import java.util.List;
import java.util.SortedMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Methods are short enough to be inlined, and those that are named like a question only answer it. */
class HotMethodsTest
{
    @Test
    void shouldBeShortEnoughToBeInlined()
    {
        final SortedMap<String, Integer> lengths = BytecodeLengths.in(Workers.class, "");

        assertTrue(lengths.get("Dispatcher.onRecord") > 50, lengths::toString);
        assertEquals(List.of(), BytecodeLengths.tooLong(lengths));
    }

    @Test
    void shouldHavePredicatesThatDoNotAct()
    {
        assertEquals(List.of(), ActingPredicates.in(Workers.class, Record.class));
    }
}
