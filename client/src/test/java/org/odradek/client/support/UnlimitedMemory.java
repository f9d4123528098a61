// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.support;

import org.odradek.client.core.MemoryBudget;

/** Makes budgets of direct memory in a JVM where no allocation is refused. */
public final class UnlimitedMemory
{
    private UnlimitedMemory()
    {
    }

    /** @param bytes declared. */
    public static MemoryBudget budget(final long bytes)
    {
        return new MemoryBudget(bytes, (exceeding) -> {}, () -> Long.MAX_VALUE, (missing) -> {});
    }
}
