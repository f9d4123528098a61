// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Short forms of {@code odradek chaos --pipeline}. Each strikes with a fixed number of faults, however long that takes.
 */
@Tag("slow")
@Timeout(900)
class PipelineChaosIT
{
    private static final long SEED = Long.getLong("odradek.seed", 1);

    @Test
    void shouldLoseNothingAndRepeatOnlyAfterRestarts()
    {
        final PipelineRun.Result result = new PipelineRun(
            List.of(PipelineFault.values()), PipelineRun.Settings.brief(SEED), false, System.out::println).run();

        assertTrue(result.isClean(), result.toText());
    }

    @Test
    void shouldFindInputThatIsAcknowledgedBeforeItsOutput()
    {
        final PipelineRun.Result result = PipelineRun.defective(SEED, System.out::println).run();

        assertTrue(result.isDefectFound(), result.toText());
    }
}
