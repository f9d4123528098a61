// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

import com.sun.jna.NativeLibrary;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;

/**
 * How much later than asked for the kernel may wake a thread: 50 microseconds unless told otherwise, which a schedule
 * of a record each 100 or 200 would not survive.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/PR_SET_TIMERSLACK.2const.html">PR_SET_TIMERSLACK(2const)</a>
 */
public final class TimerSlack
{
    private static final int PR_SET_TIMERSLACK = 29;
    private static final long LEAST_NS = 1;

    private TimerSlack()
    {
    }

    /**
     * Has the calling thread woken as punctually as the kernel can.
     */
    public static void least()
    {
        final NativeLong unused = new NativeLong(0);
        final int error = NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getFunction("prctl")
            .invokeInt(new Object[]{PR_SET_TIMERSLACK, new NativeLong(LEAST_NS), unused, unused, unused});
        if (error != 0)
        {
            throw new IllegalStateException("The kernel does not let a thread be woken punctually (prctl).");
        }
    }
}
