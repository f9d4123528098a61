// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Short forms of {@code odradek chaos --pipeline --workers}. */
@Tag("slow")
@Timeout(900)
class WorkerChaosIT
{
    private static final int WORKERS = 2;

    @Test
    void shouldLoseNothingWithWorkers()
    {
        PipelineChaosIT.assertClean(PipelineRun.Settings.brief(PipelineChaosIT.SEED, WORKERS));
    }

    @Test
    void shouldFindWorkersThatCompleteInputBeforeItsOutput()
    {
        PipelineChaosIT.assertDefectFound(WORKERS);
    }
}
