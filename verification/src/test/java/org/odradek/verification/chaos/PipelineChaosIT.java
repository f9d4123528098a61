// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Short forms of {@code odradek chaos --pipeline}. Each kind of fault strikes, however long that takes.
 */
@Tag("slow")
@Timeout(900)
class PipelineChaosIT
{
    private static final int SECONDS = 40;
    private static final int SEED = 1;

    @Test
    void shouldLoseNothingAndRepeatOnlyAfterRestarts()
    {
        final PipelineRun.Result result = new PipelineRun(
            List.of(PipelineFault.values()), new PipelineRun.Settings(SEED, SECONDS, 1_000, 6), false,
            System.out::println).run();

        System.out.println(result.toText());
        assertTrue(result.isClean(), result.toText());
    }

    @Test
    void shouldFindInputThatIsAcknowledgedBeforeItsOutput()
    {
        final PipelineRun.Result result = PipelineRun.defective(SEED, System.out::println).run();

        assertTrue(result.isDefectFound(), result.toText());
    }
}
