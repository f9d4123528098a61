// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import com.sun.jna.NativeLibrary;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.internal.ThreadUsage;

import java.util.concurrent.TimeUnit;

/**
 * What is asked of the Linux kernel directly: CPU time of whole processes as its scheduler counts it, in nanoseconds,
 * with threads that ended, the compiler and the collector; and that a thread is woken on time. The JDK's own figure of
 * CPU time (17) moves in steps of 10 ms, which is more than an idle client uses in seconds.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/clock_getcpuclockid.3.html">clock_getcpuclockid(3)</a>
 * @see <a href="https://man7.org/linux/man-pages/man2/PR_SET_TIMERSLACK.2const.html">PR_SET_TIMERSLACK(2const)</a>
 */
public final class Kernel
{
    private static final int CLOCK_PROCESS_CPUTIME_ID = 2;
    private static final int PR_SET_TIMERSLACK = 29;
    private static final long LEAST_NS = 1;

    private Kernel()
    {
    }

    /** @return nanoseconds of CPU, user and system, that this process has used. Without Linux the JVM's figure. */
    public static long ownCpuNs()
    {
        return Platform.isLinux() ? read(CLOCK_PROCESS_CPUTIME_ID) : ThreadUsage.processCpuNs();
    }

    /** As of this process, of another of the same user on this machine; {@link Usage#UNKNOWN} without Linux. */
    public static long cpuNs(final long pid)
    {
        if (!Platform.isLinux())
        {
            return Usage.UNKNOWN;
        }
        final int[] clock = new int[1];
        call("clock_getcpuclockid", (int)pid, clock);
        return read(clock[0]);
    }

    /** Lets the calling thread be woken on time: by default it may be 50 us late, too much for a record each 100. */
    public static void leastTimerSlack()
    {
        if (Platform.isLinux())
        {
            final NativeLong unused = new NativeLong(0);
            call("prctl", PR_SET_TIMERSLACK, new NativeLong(LEAST_NS), unused, unused, unused);
        }
    }

    private static long read(final int clock)
    {
        final long[] time = new long[2];
        call("clock_gettime", clock, time);
        return TimeUnit.SECONDS.toNanos(time[0]) + time[1];
    }

    private static void call(final String function, final Object... arguments)
    {
        if (NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getFunction(function).invokeInt(arguments) != 0)
        {
            throw new IllegalStateException("The kernel refuses " + function + " of " + arguments[0] + ".");
        }
    }
}
