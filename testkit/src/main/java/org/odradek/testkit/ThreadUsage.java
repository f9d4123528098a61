// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.List;

/**
 * What one thread, and the whole process, has used so far. All figures only grow, so take them twice and subtract.
 * Reading those of the current thread allocates nothing once the first reading is done.
 */
public final class ThreadUsage
{
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();
    private static final Method TOTAL_ALLOCATED = totalAllocatedMethod();

    private ThreadUsage()
    {
    }

    /**
     * @return bytes the current thread has allocated on the heap.
     */
    public static long allocatedBytes()
    {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /**
     * @param threadId of a live thread of this JVM.
     * @return bytes that thread has allocated on the heap, -1 if it is gone. Seen from another thread the figure may
     *     lag behind by what the thread has taken from its current allocation buffer.
     */
    public static long allocatedBytes(final long threadId)
    {
        return THREADS.getThreadAllocatedBytes(threadId);
    }

    /**
     * @return nanoseconds of CPU, user and system, the current thread has used.
     */
    public static long cpuNs()
    {
        return THREADS.getCurrentThreadCpuTime();
    }

    /**
     * @param threadId of a live thread of this JVM.
     * @return nanoseconds of CPU, user and system, that thread has used, -1 if it is gone.
     */
    public static long cpuNs(final long threadId)
    {
        return THREADS.getThreadCpuTime(threadId);
    }

    /**
     * @return nanoseconds of CPU this process has used, its compiler and collector threads included.
     */
    public static long processCpuNs()
    {
        return SYSTEM.getProcessCpuTime();
    }

    /**
     * @return collections so far, over all collectors.
     */
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
     * @return milliseconds spent in collections so far, over all collectors.
     */
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
     * Bytes allocated by all threads. On JDK 21 and later the JVM keeps this sum, threads that ended included. Before
     * that it is the sum over the threads alive now: what ended threads had allocated is missing. The call itself
     * allocates some bytes per thread, which are in the next answer.
     *
     * @return bytes allocated on the heap of this JVM.
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
