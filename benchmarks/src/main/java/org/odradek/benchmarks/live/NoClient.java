// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads nothing: what a JVM costs that is only there. Its polling thread wakes once a second.
 */
final class NoClient implements LiveClient
{
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    @Override
    public void poll()
    {
        LockSupport.parkNanos(PAUSE_NS);
    }

    @Override
    public long fetches()
    {
        return 0;
    }

    @Override
    public void close()
    {
    }
}
