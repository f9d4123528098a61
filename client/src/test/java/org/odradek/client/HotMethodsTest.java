// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.junit.jupiter.api.Test;
import org.odradek.harness.BytecodeLengths;

import java.util.List;
import java.util.SortedMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An assert costs about 20 bytes of bytecode, also where asserts are off. */
class HotMethodsTest
{
    /** One runs at the start, the other after a failure. */
    private static final List<String> LONGER = List.of("BoringSsl.configure", "TlsErrors.advice");

    @Test
    void shouldBeShortEnoughToBeInlined()
    {
        final SortedMap<String, Integer> lengths =
            BytecodeLengths.in(ClientCounters.class, "cluster", "core", "engine", "net", "tls");

        assertTrue(lengths.get("TransportPoller.await") > 200, lengths::toString);
        assertEquals(LONGER, BytecodeLengths.tooLong(lengths));
    }
}
