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
 * The resources that one thread and the whole process have used. All numbers only grow: read them twice and subtract.
 * Reading those of the current thread allocates nothing after the first time.
 */
public final class ThreadUsage
{
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();
    /** Null in a JVM that only interprets. */
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    private static final Method TOTAL_ALLOCATED = totalAllocatedMethod();

    private ThreadUsage()
    {
    }

    /** Returns the bytes that the current thread has allocated on the heap, -1 if it is a virtual thread. */
    public static long allocatedBytes()
    {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /**
     * @param threadId of a live thread of this JVM.
     * @return bytes that the thread has allocated on the heap, -1 if it has ended. Another thread may see a number that
     *         lacks the used part of its current allocation buffer.
     */
    public static long allocatedBytes(final long threadId)
    {
        return THREADS.getThreadAllocatedBytes(threadId);
    }

    /** Returns the nanoseconds of CPU, user and system, that the current thread has used. */
    public static long cpuNs()
    {
        return THREADS.getCurrentThreadCpuTime();
    }

    /**
     * @param threadId of a live thread of this JVM.
     * @return nanoseconds of CPU, user and system, that the thread has used, -1 if it has ended.
     */
    public static long cpuNs(final long threadId)
    {
        return THREADS.getThreadCpuTime(threadId);
    }

    /**
     * @param prefix of the names of threads of this JVM.
     * @return nanoseconds of CPU, user and system, that those of them that are alive have used together.
     */
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

    /** Returns the nanoseconds of CPU that this process has used, including compiler and collector threads. */
    public static long processCpuNs()
    {
        return SYSTEM.getProcessCpuTime();
    }

    /** Returns the milliseconds that compilers have taken, of compilations that have ended. */
    public static long compilationMs()
    {
        return COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported() ?
            COMPILER.getTotalCompilationTime() : 0;
    }

    /** Returns the number of collections of all collectors. */
    public static long gcCount()
    {
        long count = 0;
        for (int i = 0; i < COLLECTORS.size(); i++)
        {
            count += Math.max(0, COLLECTORS.get(i).getCollectionCount());
        }
        return count;
    }

    /** Returns the milliseconds spent in collections of all collectors. */
    public static long gcTimeMs()
    {
        long timeMs = 0;
        for (int i = 0; i < COLLECTORS.size(); i++)
        {
            timeMs += Math.max(0, COLLECTORS.get(i).getCollectionTime());
        }
        return timeMs;
    }

    /**
     * Returns the bytes that all threads have allocated on the heap. JDK 21 and later include threads that have ended;
     * before that the sum is over live threads only. The call itself allocates some bytes per thread, which the next
     * result includes.
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
