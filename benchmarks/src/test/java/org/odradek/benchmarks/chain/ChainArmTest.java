// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ChainArmTest
{
    @Test
    void shouldHaveShortIntervalsOnlyIfTheLimitIsShort()
    {
        assertEquals(List.of("stock-shared-2ms", "stock-shared-1ms", "stock-shared-0ms", "odradek-publisher-2ms",
            "odradek-publisher-1ms", "odradek-publisher-0ms", "odradek-publisher-acks-all-2ms",
            "odradek-publisher-acks-all-1ms", "odradek-publisher-acks-all-0ms", "chronicle-queue"),
            Arrays.stream(ChainArm.values()).filter((arm) -> arm.isUsual(true)).map((arm) -> arm.client).toList());
        assertFalse(ChainArm.PUBLISHER_0.isUsual(false));
        assertTrue(ChainArm.PUBLISHER_1.isUsual(false));
        assertTrue(ChainArm.PUBLISHER.isUsual(false));
    }

    @Test
    void shouldHaveTheIntervalOfItsName()
    {
        assertEquals(0, ChainArm.PUBLISHER_ALL_0.intervalMs(10));
        assertEquals(1, ChainArm.ONE_THREAD_SHARED_1.intervalMs(10));
        assertEquals(10, ChainArm.PUBLISHER.intervalMs(10));
    }
}
