// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/** How often the waits of one thread end. */
final class WaitRate
{
    /** Far more often than bytes arrive in pieces. */
    static final double MAX_PER_SECOND = 5_000;

    private double waits;
    private long lastNs;

    /** Counts a wait that has ended, and returns whether there were not more in the last second than may be. */
    boolean isAllowed(final long nowNs)
    {
        waits = Math.max(0, waits - MAX_PER_SECOND * ((nowNs - lastNs) / 1e9)) + 1;
        lastNs = nowNs;
        return waits <= MAX_PER_SECOND;
    }
}
