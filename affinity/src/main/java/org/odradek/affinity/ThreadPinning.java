// SPDX-License-Identifier: Apache-2.0
package org.odradek.affinity;

import com.sun.jna.Function;
import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLibrary;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;

/**
 * Pins the calling thread to one core, and then verifies with the kernel that it is pinned. It allocates and makes
 * system calls when a thread starts, and costs nothing later. It needs Linux and the optional dependency JNA.
 * <p>
 * OpenHFT Affinity does not replace it: without JNA or on another system it does nothing and reports no error, it does
 * not verify the result with the kernel, and it needs SLF4J.
 * <pre>{@code
 * System.out.println(ThreadPinning.pin(3));
 * }</pre>
 * Other threads may still run on that core; only the kernel's {@code isolcpus} or a cpuset prevents that.
 */
public final class ThreadPinning implements AutoCloseable
{
    private static final int EPERM = 1;
    private static final int EINVAL = 22;
    private static final int ENOSYS = 38;

    private final int core;
    private final int currentCore;
    private final CoreSet before;
    private final Thread thread;
    private final Calls calls;

    private ThreadPinning(
        final int core, final int currentCore, final CoreSet before, final Thread thread, final Calls calls)
    {
        this.core = core;
        this.currentCore = currentCore;
        this.before = before;
        this.thread = thread;
        this.calls = calls;
    }

    /**
     * Pin the calling thread to one core, and verify it.
     *
     * @param core number, as {@code lscpu} shows it.
     * @return the pinning; its {@link #toString()} describes it in one line.
     * @throws IllegalArgumentException if a core cannot have that number.
     * @throws IllegalStateException    if the kernel or the container does not allow it, if this is not Linux, if the
     * thread is virtual, or if JNA is missing or does not work; the message names the cause and a remedy.
     */
    public static ThreadPinning pin(final int core)
    {
        return pin(core, calls());
    }

    static ThreadPinning pin(final int core, final Calls calls)
    {
        final CoreSet wanted = CoreSet.of(core);
        final CoreSet before = allowed(calls);
        final int error = calls.setAffinity(wanted.toMask());
        if (error != 0)
        {
            throw new IllegalStateException(refusal(core, before, error));
        }
        try
        {
            return verified(core, before, calls);
        }
        catch (final IllegalStateException ex)
        {
            // The caller has no pinning to close.
            calls.setAffinity(before.toMask());
            throw ex;
        }
    }

    private static ThreadPinning verified(final int core, final CoreSet before, final Calls calls)
    {
        final CoreSet now = allowed(calls);
        final int currentCore = calls.currentCore();
        // -1 if the system does not report it; then the mask alone is the proof.
        if (!now.equals(CoreSet.of(core)) || currentCore != core && currentCore >= 0)
        {
            throw new IllegalStateException("The kernel accepted the pinning to core " + core + " but did not keep " +
                "it: sched_getaffinity returns " + now + ", sched_getcpu returns " + currentCore + ".");
        }
        return new ThreadPinning(core, currentCore, before, Thread.currentThread(), calls);
    }

    /**
     * The cores that the calling thread may run on.
     *
     * @return the cores.
     * @throws IllegalStateException as {@link #pin(int)} does.
     */
    public static CoreSet allowedCores()
    {
        return allowed(calls());
    }

    private static CoreSet allowed(final Calls calls)
    {
        final long[] mask = new long[CoreSet.CAPACITY / Long.SIZE];
        final int error = calls.getAffinity(mask);
        if (error != 0)
        {
            throw new IllegalStateException("The kernel does not report which cores this thread may use (" +
                name(error) + " from sched_getaffinity): a seccomp profile may forbid the call.");
        }
        return CoreSet.ofMask(mask);
    }

    private static Calls calls()
    {
        if (isVirtual(Thread.currentThread()))
        {
            throw new IllegalStateException(
                "A virtual thread cannot be pinned: its carrier would be. Use a platform thread.");
        }
        return calls(System.getProperty("os.name"));
    }

    private static boolean isVirtual(final Thread thread)
    {
        try
        {
            return Boolean.TRUE.equals(Thread.class.getMethod("isVirtual").invoke(thread));
        }
        catch (final ReflectiveOperationException ex)
        {
            // Before Java 21 there are no virtual threads.
            return false;
        }
    }

    static Calls calls(final String osName)
    {
        if (!"Linux".equals(osName))
        {
            throw new IllegalStateException("A thread can be pinned to a core on Linux only; this system is " +
                osName + ".");
        }
        try
        {
            return new LinuxCalls();
        }
        catch (final Error ex)
        {
            // A plain one is thrown by JNA if the system has its native library in another version.
            if (ex instanceof LinkageError || ex.getClass() == Error.class)
            {
                throw new IllegalStateException(unavailability(ex), ex);
            }
            throw ex;
        }
    }

    static String unavailability(final Error cause)
    {
        // The JVM reports a class that could not be initialized before as one without a definition.
        final boolean isMissing = cause instanceof NoClassDefFoundError &&
            !String.valueOf(cause.getMessage()).startsWith("Could not initialize class ");
        final Throwable first = cause.getCause() instanceof ExceptionInInitializerError ? cause.getCause() : cause;
        final String firstLine = String.valueOf(first.getMessage()).lines().filter((line) -> !line.isBlank())
            .findFirst().orElse("no message");
        return isMissing ?
            "Pinning a thread needs net.java.dev.jna:jna on the class path, but it is missing (" + firstLine + ")." :
            "Pinning a thread needs JNA, whose native library does not load here (" + firstLine +
                "): it is unpacked to the folder that jna.tmpdir names, which must allow execution.";
    }

    private static String refusal(final int core, final CoreSet allowed, final int error)
    {
        final String sentence = "This thread cannot be pinned to core " + core + " (" + name(error) +
            " from sched_setaffinity; it may use " + allowed + "): ";
        switch (error)
        {
            case EINVAL:
                return sentence + "the machine has no such core online, or the cgroup's cpuset excludes it; choose " +
                    "one of those, or widen the cpuset (docker run --cpuset-cpus, systemd AllowedCPUs).";
            case EPERM:
            case ENOSYS:
                return sentence + "the container forbids the call; allow sched_setaffinity in its seccomp profile.";
            default:
                return sentence + "sched_setaffinity(2) explains this error.";
        }
    }

    private static String name(final int error)
    {
        switch (error)
        {
            case EPERM:
                return "EPERM";
            case EINVAL:
                return "EINVAL";
            case ENOSYS:
                return "ENOSYS";
            default:
                return "errno " + error;
        }
    }

    /** Returns the core to which the thread is pinned. */
    public int core()
    {
        return core;
    }

    /** The cores that the thread could use before it was pinned. */
    public CoreSet before()
    {
        return before;
    }

    /**
     * Let the thread use the same cores as before again. Only the pinned thread may call it.
     *
     * @throws IllegalStateException from another thread, or if the kernel does not allow it.
     */
    @Override
    public void close()
    {
        if (Thread.currentThread() != thread)
        {
            throw new IllegalStateException(
                "Only the pinned " + thread + " may end its pinning, not " + Thread.currentThread() + ".");
        }
        final int error = calls.setAffinity(before.toMask());
        if (error != 0)
        {
            throw new IllegalStateException("This thread stays pinned to core " + core + ": the kernel does not let " +
                "it use cores " + before + " (" + name(error) + " from sched_setaffinity).");
        }
    }

    @Override
    public String toString()
    {
        return "thread '" + thread.getName() + "' is pinned to core " + core + " (sched_getaffinity: " + core +
            (currentCore < 0 ? "" : ", sched_getcpu: " + currentCore) + "; before: " + before + ")";
    }

    /** The system calls for the calling thread. Tests implement it as kernels and containers that refuse. */
    interface Calls
    {
        /**
         * @param mask one bit for each core.
         * @return 0, or the errno.
         */
        int setAffinity(long[] mask);

        /**
         * @param mask filled in by the call.
         * @return 0, or the errno.
         */
        int getAffinity(long[] mask);

        /** @return the core on which the thread is running now, or -1 if the system does not report it. */
        int currentCore();
    }

    /**
     * Calls the C library through JNA. Only this class uses JNA, so without it exactly its linkage fails.
     *
     * @see <a href="https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html">sched_setaffinity(2)</a>
     */
    private static final class LinuxCalls implements Calls
    {
        /** For the kernel this is the calling thread, not its process. */
        private static final int CALLING_THREAD = 0;

        private final Function set;
        private final Function get;
        private final Function current;

        LinuxCalls()
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
                function.invokeInt(new Object[] {CALLING_THREAD, new NativeLong((long)mask.length * Long.BYTES), mask});
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
}
