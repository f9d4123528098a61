// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.harness.BytecodeLengths;

import java.util.List;
import java.util.SortedMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An assert costs about 20 bytes of bytecode, also where asserts are off. */
class HotMethodsTest
{
    /** A table of contents of a duty cycle. */
    private static final List<String> LONGER = List.of("PublishEngine.doWork");

    @Test
    void shouldBeShortEnoughToBeInlined()
    {
        final SortedMap<String, Integer> lengths = BytecodeLengths.in(Publisher.class, "");

        assertTrue(lengths.get("PartitionQueue.claim") > 100, lengths::toString);
        assertEquals(LONGER, BytecodeLengths.tooLong(lengths));
    }
}
