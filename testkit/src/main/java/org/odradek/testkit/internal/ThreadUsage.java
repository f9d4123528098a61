// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Method;
import java.util.List;

/**
 * Reads the resources that a thread or the whole process has used so far. Reading the numbers of the current thread
 * allocates nothing after the first time.
 */
public final class ThreadUsage
{
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final Method TOTAL_ALLOCATED = totalAllocatedMethod();

    private ThreadUsage()
    {
    }

    /**
     * Returns the number of bytes that the current thread has allocated on the heap, or -1 if the thread is virtual or
     * the JVM does not count the bytes.
     */
    public static long allocatedBytes()
    {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Returns the number of bytes that a thread has allocated on the heap, or -1 if the thread has ended. */
    public static long allocatedBytes(final long threadId)
    {
        return THREADS.getThreadAllocatedBytes(threadId);
    }

    public static long cpuNs()
    {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Returns the CPU time of a thread in nanoseconds (user and system), or -1 if the thread has ended. */
    public static long cpuNs(final long threadId)
    {
        return THREADS.getThreadCpuTime(threadId);
    }

    /** Returns the CPU time in nanoseconds (user and system) of all live threads whose names begin with a prefix. */
    public static long cpuNs(final String prefix)
    {
        long sum = 0;
        for (final ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds()))
        {
            if (thread != null && thread.getThreadName().startsWith(prefix))
            {
                sum += Math.max(0, THREADS.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return sum;
    }

    public static long processCpuNs()
    {
        return SYSTEM.getProcessCpuTime();
    }

    /**
     * Returns the time that the JVM's finished compilations have taken, in milliseconds; 0 if the JVM does not measure
     * it.
     */
    public static long compilationMs()
    {
        return COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported() ?
            COMPILER.getTotalCompilationTime() : 0;
    }

    public static long gcCount()
    {
        long count = 0;
        for (int i = 0; i < COLLECTORS.size(); i++)
        {
            count += Math.max(0, COLLECTORS.get(i).getCollectionCount());
        }
        return count;
    }

    /**
     * Returns the number of bytes that all threads have allocated on the heap. On JDK 21 and later the number includes
     * threads that have ended; on earlier JDKs it includes live threads only.
     */
    public static long jvmAllocatedBytes()
    {
        if (TOTAL_ALLOCATED != null)
        {
            try
            {
                return (long) TOTAL_ALLOCATED.invoke(THREADS);
            }
            catch (final ReflectiveOperationException ex)
            {
                throw new IllegalStateException("The JVM does not tell what its threads allocated.", ex);
            }
        }
        long sum = 0;
        for (final long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
        {
            sum += Math.max(0, bytes);
        }
        return sum;
    }

    private static Method totalAllocatedMethod()
    {
        try
        {
            return ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
        }
        catch (final NoSuchMethodException ex)
        {
            return null;
        }
    }
}
