// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import one.profiler.AsyncProfiler;

import java.io.IOException;

/**
 * Samples this JVM and writes a flame graph, if the arguments say so.
 */
final class Profiler
{
    static final String EVENT = "profile";
    static final String FILE = "profileFile";
    static final String CPU = "cpu";
    static final String ALLOCATIONS = "alloc";

    /** Counted by a timer of each thread; without the kernel's frames. */
    private static final String CPU_WITHOUT_PERF_EVENTS = "ctimer";

    private final String event;
    private final String file;
    private final AsyncProfiler profiler;

    private Profiler(final String event, final String file, final AsyncProfiler profiler)
    {
        this.event = event;
        this.file = file;
        this.profiler = profiler;
    }

    /**
     * @return a profiler, which does nothing unless an event is among the arguments.
     */
    static Profiler of(final Arguments arguments)
    {
        return arguments.has(EVENT) ?
            new Profiler(arguments.text(EVENT), arguments.text(FILE), AsyncProfiler.getInstance()) :
            new Profiler(null, null, null);
    }

    void start() throws IOException
    {
        if (ALLOCATIONS.equals(event))
        {
            profiler.execute("start,event=alloc,alloc=8k,threads");
        }
        else if (CPU.equals(event))
        {
            startCpu();
        }
    }

    private void startCpu() throws IOException
    {
        try
        {
            profiler.execute("start,event=" + CPU + ",interval=1ms,threads");
        }
        catch (final IllegalStateException ex)
        {
            System.err.println("No perf events here (" + ex.getMessage() + "): sampled without the kernel's frames.");
            profiler.execute("start,event=" + CPU_WITHOUT_PERF_EVENTS + ",interval=1ms,threads");
        }
    }

    void stop() throws IOException
    {
        if (event != null)
        {
            profiler.execute("stop,flamegraph,file=" + file);
        }
    }
}
