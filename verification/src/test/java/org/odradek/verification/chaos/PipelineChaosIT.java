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
    static final int SEED = 1;

    @Test
    void shouldLoseNothingAndRepeatOnlyAfterRestarts()
    {
        assertClean(new PipelineRun.Settings(SEED, SECONDS, 1_000, 6, 0));
    }

    static void assertClean(final PipelineRun.Settings settings)
    {
        final RunResult<PipelineJudge.Rule> result =
            new PipelineRun(List.of(PipelineFault.values()), settings, false, System.out::println).run();

        System.out.println(result.toText());
        assertTrue(result.isClean(), result.toText());
    }

    @Test
    void shouldFindInputThatIsAcknowledgedBeforeItsOutput()
    {
        assertDefectFound(0);
    }

    static void assertDefectFound(final int workerCount)
    {
        final RunResult<PipelineJudge.Rule> result =
            PipelineRun.defective(SEED, workerCount, System.out::println).run();

        assertTrue(result.isFound(PipelineJudge.Rule.NOTHING_LOST), result.toText());
    }
}
