// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Reads nothing: what an idle JVM costs. Its polling thread wakes once a second. */
public final class NoClient implements Client
{
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    public NoClient(final Settings settings, final Sink sink)
    {
    }

    @Override
    public void poll()
    {
        LockSupport.parkNanos(PAUSE_NS);
    }
}
