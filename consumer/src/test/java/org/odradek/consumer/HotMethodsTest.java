// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.odradek.harness.BytecodeLengths;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An assert costs about 20 bytes of bytecode, also where asserts are off. */
class HotMethodsTest
{
    private static final int NEAR = 40;

    /** Loops that are begun once for each batch, and steps that are taken once for each response or less often. */
    private static final List<String> LONGER = List.of(
        "BrokerFetcher.sendFetch", "FetchReader.deliverRecords", "LegacyBatch.beginCompressed");

    @Test
    void shouldBeShortEnoughToBeInlined(final TestReporter reporter)
    {
        final SortedMap<String, Integer> lengths = BytecodeLengths.in(TopicConsumer.class, "engine", "fetch");

        final SortedMap<String, Integer> longest = new TreeMap<>(lengths);
        longest.values().removeIf((length) -> length <= BytecodeLengths.MAX_INLINED - NEAR);
        reporter.publishEntry("the longest hot methods, in bytes of bytecode: " + longest);
        assertTrue(lengths.get("DutyCycle.poll") > 200, lengths::toString);
        assertEquals(LONGER, BytecodeLengths.tooLong(lengths));
    }
}
