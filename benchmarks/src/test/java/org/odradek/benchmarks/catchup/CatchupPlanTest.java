// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CatchupPlanTest
{
    @Test
    void shouldNameWhatDiffersFromOnePlainPartition()
    {
        assertEquals(
            List.of("23 B", "100 B", "1000 B", "100 B, lz4", "100 B, zstd", "23 B, CRC off", "23 B, 8 partitions",
                "100 B, 8 partitions", "1000 B, 8 partitions"),
            CatchupPlan.fullCases().stream().map(CatchupCase::name).toList());
        assertTrue(CatchupPlan.fullCases().containsAll(CatchupPlan.quickCases()));
    }

    @Test
    void shouldGiveEveryPartitionTheSameNumberOfRecords()
    {
        final CatchupCase three = new CatchupCase(100, 3, CatchupCase.NO_CODEC, true);
        final CatchupPlan plan = new CatchupPlan(
            CatchupPlan.CATCHUP, ArmKind.CATCHUP, List.of(three), 1, 1, 1_080_000, null);

        assertEquals(3_333, plan.recordsPerPartition(three));
        assertEquals(9_999, plan.records(three));
    }

    @Test
    void shouldGiveTheBareLoopOnlyWhatItCanRead()
    {
        assertTrue(ArmKind.BARE_LOOP.canRead(CatchupCase.plain(23)));
        assertTrue(ArmKind.BARE_LOOP.canRead(new CatchupCase(23, 1, CatchupCase.NO_CODEC, false)));
        assertFalse(ArmKind.BARE_LOOP.canRead(new CatchupCase(23, 8, CatchupCase.NO_CODEC, true)));
        assertFalse(ArmKind.BARE_LOOP.canRead(new CatchupCase(23, 1, "lz4", true)));
        assertTrue(ArmKind.STOCK_NEW.canRead(new CatchupCase(23, 8, "lz4", true)));
    }

    @Test
    void shouldFitIntoItsTimeIfQuick()
    {
        final CatchupPlan quick = new CatchupPlan(CatchupPlan.CATCHUP, ArmKind.CATCHUP, CatchupPlan.quickCases(),
            CatchupPlan.QUICK_PASSES,
            CatchupPlan.WARM_UP_PASSES, CatchupPlan.QUICK_BYTES_PER_TOPIC, null);

        assertTrue(quick.expectedSeconds() <= 240, quick.expectedSeconds() + " s");
    }
}
