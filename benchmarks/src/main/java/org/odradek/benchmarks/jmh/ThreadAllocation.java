// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.testkit.AllocationMeter;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What the reading thread itself allocates, from the first fetch of an iteration to the last. JMH's profiler counts all
 * threads, and JMH's own few thousand bytes an iteration with them: too many to show a zero by.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class ThreadAllocation
{
    public long allocatedBytes;
    public long fetches;

    private final AllocationMeter meter = new AllocationMeter();
    private boolean isStarted;

    @Setup(Level.Iteration)
    public void setUp()
    {
        isStarted = false;
    }

    void beginFetch()
    {
        if (!isStarted)
        {
            isStarted = true;
            meter.start();
        }
        fetches++;
    }

    @TearDown(Level.Iteration)
    public void tearDown()
    {
        meter.stop();
        allocatedBytes = meter.allocatedBytes();
    }
}
