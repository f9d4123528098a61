// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.affinity;

import com.sun.jna.Function;
import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLibrary;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;

/**
 * The C library's functions, through JNA. Only this class names JNA, so that its absence shows where this one is
 * linked.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html">sched_setaffinity(2)</a>
 */
final class LinuxAffinityCalls implements AffinityCalls
{
    /**
     * For the kernel this is the calling thread, not its process.
     */
    private static final int CALLING_THREAD = 0;

    private final Function set;
    private final Function get;
    private final Function current;

    LinuxAffinityCalls()
    {
        final NativeLibrary library = NativeLibrary.getInstance(Platform.C_LIBRARY_NAME);
        set = library.getFunction("sched_setaffinity", Function.THROW_LAST_ERROR);
        get = library.getFunction("sched_getaffinity", Function.THROW_LAST_ERROR);
        current = library.getFunction("sched_getcpu", Function.THROW_LAST_ERROR);
    }

    @Override
    public int setAffinity(final long[] mask)
    {
        return call(set, mask);
    }

    @Override
    public int getAffinity(final long[] mask)
    {
        return call(get, mask);
    }

    private static int call(final Function function, final long[] mask)
    {
        try
        {
            function.invokeInt(new Object[] {CALLING_THREAD, new NativeLong((long) mask.length * Long.BYTES), mask});
            return 0;
        }
        catch (final LastErrorException ex)
        {
            return ex.getErrorCode();
        }
    }

    @Override
    public int currentCore()
    {
        try
        {
            return current.invokeInt(new Object[0]);
        }
        catch (final LastErrorException ex)
        {
            return -1;
        }
    }
}
