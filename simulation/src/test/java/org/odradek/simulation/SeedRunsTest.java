// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SeedRunsTest
{
    @Test
    void shouldNotBeCleanIfARunCannotBegin()
    {
        final SeedRuns runs = new SeedRuns(1, 2, Long.MAX_VALUE, (seed) ->
        {
            throw new IllegalArgumentException("no settings for seed " + seed);
        });

        final IllegalStateException ex = assertThrows(IllegalStateException.class, () -> runs.run(1, 1, (line) ->
        {
        }));
        assertTrue(ex.getMessage().contains("no settings for seed 1"), ex.getMessage());
    }
}
