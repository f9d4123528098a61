// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DemoResultTest
{
    private static final DemoResult.Reading FROM =
        new DemoResult.Reading(1_000_000_000L, 100, 5_000, 10_000_000, 7, 20_000_000, 1, 6_000);

    @Test
    void shouldBeTheDifferenceOfTwoReadings()
    {
        final DemoResult.Reading to =
            new DemoResult.Reading(3_000_000_000L, 1_100, 7_000, 510_000_000, 407, 1_020_000_000, 4, 9_000);

        final DemoResult.Client result = DemoResult.Client.between(FROM, to);

        assertEquals(new DemoResult.Client(1_000, 2_000, 2.0, 3, 50.0, 25.0, 200.0, 3_000), result);
    }

    @Test
    void shouldNotDivideByNoRecords()
    {
        final DemoResult.Reading to =
            new DemoResult.Reading(3_000_000_000L, 100, 7_000, 510_000_000, 407, 1_020_000_000, 4, 9_000);

        assertEquals(0.0, DemoResult.Client.between(FROM, to).bytesPerRecord());
    }

    @Test
    void shouldDivideOursByStockAndLeaveOutDivisionsByZero()
    {
        final DemoResult.Client ours = new DemoResult.Client(1_000, 0, 0, 0, 10.0, 4.0, 200.0, 0);
        final DemoResult.Client stock = new DemoResult.Client(1_000, 2_000, 2.0, 3, 40.0, 0.0, 200.0, 3_000);

        final ObjectNode json = new DemoResult(DemoResult.Plan.of(5_000, 60, null, false), ours, stock).toJson();

        assertEquals(0.0, json.path("ratios").path("allocatedBytes").asDouble(-1));
        assertEquals(0.25, json.path("ratios").path("cpuPercentProcess").asDouble());
        assertTrue(json.path("ratios").path("cpuPercentThread").isNull());
        assertEquals(20, json.path("environment").path("settings").path("warmUpSeconds").asInt());
    }
}
