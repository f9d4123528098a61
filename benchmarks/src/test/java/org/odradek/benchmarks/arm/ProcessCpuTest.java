// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

import org.junit.jupiter.api.Test;
import org.odradek.testkit.ThreadUsage;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ProcessCpuTest
{
    private static final long WORK_NS = 20_000_000;

    @Test
    void shouldCountWhatAThreadOfThisProcessUses()
    {
        final long beforeNs = ProcessCpu.ownNs();
        final long beforeByIdNs = ProcessCpu.ns(ProcessHandle.current().pid());
        final long threadBeforeNs = ThreadUsage.cpuNs();
        while (ThreadUsage.cpuNs() - threadBeforeNs < WORK_NS)
        {
            Thread.onSpinWait();
        }

        assertTrue(beforeByIdNs >= beforeNs);
        assertTrue(ProcessCpu.ownNs() - beforeNs >= WORK_NS);
        assertTrue(ProcessCpu.ns(ProcessHandle.current().pid()) - beforeByIdNs >= WORK_NS);
    }

    @Test
    void shouldSayThatThereIsNoSuchProcess()
    {
        assertThrows(IllegalStateException.class, () -> ProcessCpu.ns(1 << 26));
    }
}
