// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.junit.jupiter.api.Test;
import org.odradek.testkit.internal.ThreadUsage;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class KernelTest
{
    private static final long WORK_NS = 20_000_000;

    @Test
    void shouldCountWhatAThreadOfThisProcessUses()
    {
        final long beforeNs = Kernel.ownCpuNs();
        final long beforeByIdNs = Kernel.cpuNs(ProcessHandle.current().pid());
        final long threadBeforeNs = ThreadUsage.cpuNs();
        while (ThreadUsage.cpuNs() - threadBeforeNs < WORK_NS)
        {
            Thread.onSpinWait();
        }

        assertTrue(beforeByIdNs >= beforeNs);
        assertTrue(Kernel.ownCpuNs() - beforeNs >= WORK_NS);
        assertTrue(Kernel.cpuNs(ProcessHandle.current().pid()) - beforeByIdNs >= WORK_NS);
    }

    @Test
    void shouldSayThatThereIsNoSuchProcess()
    {
        assertThrows(IllegalStateException.class, () -> Kernel.cpuNs(1 << 26));
    }
}
