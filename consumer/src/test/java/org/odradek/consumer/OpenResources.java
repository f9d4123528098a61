// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.io.File;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares the open files and the direct memory of this process with those at its creation.
 */
final class OpenResources
{
    /** Threads that end and classes that are loaded open and close a few files at any time. */
    private static final int FILES_TOLERANCE = 8;
    /** The threads of a peer keep small buffers, which were 1.1 MB at most; a few consumers hold more than this. */
    private static final long BYTES_TOLERANCE = 4 * 1024 * 1024;
    private static final long WAIT_NS = 10_000_000_000L;

    private final int files;
    private final long directBytes;

    OpenResources()
    {
        System.gc();
        files = files();
        directBytes = directBytes();
    }

    private static int files()
    {
        final String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : names.length;
    }

    private static long directBytes()
    {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    /**
     * Fails if there are more now. The sockets of a scripted peer are closed shortly after those of the consumer. The
     * counters of a consumer (10 KB) may be read after it has been closed, so only the garbage collector frees them.
     */
    void assertReleased() throws InterruptedException
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!isReleased() && deadlineNs - System.nanoTime() > 0)
        {
            System.gc();
            Thread.sleep(100);
        }
        assertTrue(isReleased(), () -> files() + " open files and " + directBytes() + " bytes of direct memory, " +
            "where " + files + " and " + directBytes + " were in use before");
    }

    private boolean isReleased()
    {
        return files() <= files + FILES_TOLERANCE && directBytes() <= directBytes + BYTES_TOLERANCE;
    }
}
