// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;

import java.util.concurrent.TimeUnit;

/**
 * CPU time of a whole process as the kernel's scheduler counts it, in nanoseconds: threads that ended are in it, and so
 * are the compiler and the collector. The JDK's own figure (17) moves in steps of 10 ms, which is more than an idle
 * client uses in seconds. Linux only.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/clock_getcpuclockid.3.html">clock_getcpuclockid(3)</a>
 */
public final class ProcessCpu
{
    private static final int CLOCK_PROCESS_CPUTIME_ID = 2;
    private static final Function GET_TIME =
        NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getFunction("clock_gettime");
    private static final Function GET_CLOCK =
        NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getFunction("clock_getcpuclockid");

    private ProcessCpu()
    {
    }

    /**
     * @return nanoseconds of CPU, user and system, this process has used.
     */
    public static long ownNs()
    {
        return read(CLOCK_PROCESS_CPUTIME_ID);
    }

    /**
     * @param pid of a process of the same user on this machine.
     * @return nanoseconds of CPU, user and system, it has used.
     * @throws IllegalStateException if there is no such process.
     */
    public static long ns(final long pid)
    {
        final int[] clock = new int[1];
        if (GET_CLOCK.invokeInt(new Object[]{(int) pid, clock}) != 0)
        {
            throw new IllegalStateException("There is no process " + pid + " to read the CPU time of.");
        }
        return read(clock[0]);
    }

    private static long read(final int clock)
    {
        final long[] time = new long[2];
        if (GET_TIME.invokeInt(new Object[]{clock, time}) != 0)
        {
            throw new IllegalStateException("The kernel does not tell a process's CPU time (clock " + clock + ").");
        }
        return TimeUnit.SECONDS.toNanos(time[0]) + time[1];
    }
}
