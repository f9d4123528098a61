// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.affinity;

/**
 * A thread that runs on one core only, as the kernel itself said afterwards. Everything here is for the start of a
 * thread: it makes objects and asks the kernel, and costs nothing afterwards.
 * <pre>{@code
 * System.out.println(ThreadPinning.pin(3));
 * }</pre>
 * Other threads may still run on that core; only the kernel's {@code isolcpus} or a cpuset keeps them away.
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
    private final AffinityCalls calls;

    private ThreadPinning(
        final int core, final int currentCore, final CoreSet before, final Thread thread, final AffinityCalls calls)
    {
        this.core = core;
        this.currentCore = currentCore;
        this.before = before;
        this.thread = thread;
        this.calls = calls;
    }

    /**
     * Let the calling thread run on one core only, and ask the kernel whether it does.
     *
     * @param core its number, as {@code lscpu} counts.
     * @return what holds now; {@link #toString()} says it in a line.
     * @throws IllegalArgumentException if a core cannot have that number.
     * @throws IllegalStateException    if the kernel or the container does not allow it, if this is not Linux, or if
     *                                  JNA is not there: one sentence says which, and what helps.
     */
    public static ThreadPinning pin(final int core)
    {
        return pin(core, calls());
    }

    static ThreadPinning pin(final int core, final AffinityCalls calls)
    {
        final CoreSet wanted = CoreSet.of(core);
        final CoreSet before = allowed(calls);
        final int error = calls.setAffinity(wanted.toMask());
        if (error != 0)
        {
            throw new IllegalStateException(refusal(core, before, error));
        }
        final CoreSet now = allowed(calls);
        final int currentCore = calls.currentCore();
        // -1 where the system does not say; the mask alone is proof then.
        if (!now.equals(wanted) || currentCore != core && currentCore >= 0)
        {
            throw new IllegalStateException("The kernel took the pinning to core " + core + " and did not keep it: " +
                "sched_getaffinity says " + now + ", sched_getcpu says " + currentCore + ".");
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

    private static CoreSet allowed(final AffinityCalls calls)
    {
        final long[] mask = new long[CoreSet.CAPACITY / Long.SIZE];
        final int error = calls.getAffinity(mask);
        if (error != 0)
        {
            throw new IllegalStateException("The kernel does not tell which cores this thread may use (" +
                name(error) + " from sched_getaffinity): a seccomp profile may forbid the question.");
        }
        return CoreSet.ofMask(mask);
    }

    private static AffinityCalls calls()
    {
        return calls(System.getProperty("os.name"));
    }

    static AffinityCalls calls(final String osName)
    {
        if (!"Linux".equals(osName))
        {
            throw new IllegalStateException("A thread can be pinned to a core on Linux only; this system is " +
                osName + ".");
        }
        try
        {
            return new LinuxAffinityCalls();
        }
        catch (final LinkageError ex)
        {
            throw new IllegalStateException(unavailability(ex), ex);
        }
    }

    static String unavailability(final LinkageError cause)
    {
        final String firstLine = String.valueOf(cause.getMessage()).lines().findFirst().orElse("no message");
        return cause instanceof NoClassDefFoundError ?
            "Pinning a thread needs net.java.dev.jna:jna on the class path, and it is not there (" + firstLine + ")." :
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
                return sentence + "the machine has no such core online, or the cgroup's cpuset leaves it out; choose " +
                    "one of those, or widen the cpuset (docker run --cpuset-cpus, systemd AllowedCPUs).";
            case EPERM:
            case ENOSYS:
                return sentence + "the container forbids the call; allow sched_setaffinity in its seccomp profile.";
            default:
                return sentence + "sched_setaffinity(2) says what that means.";
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

    public int core()
    {
        return core;
    }

    /**
     * The cores that the thread could run on before.
     */
    public CoreSet before()
    {
        return before;
    }

    /**
     * Let the thread run where it could before. On the pinned thread only.
     *
     * @throws IllegalStateException from another thread, or if the kernel does not allow it.
     */
    @Override
    public void close()
    {
        if (Thread.currentThread() != thread)
        {
            throw new IllegalStateException(
                thread + " was pinned, and only it can end that, not " + Thread.currentThread() + ".");
        }
        final int error = calls.setAffinity(before.toMask());
        if (error != 0)
        {
            throw new IllegalStateException("This thread stays pinned to core " + core + ": the kernel does not let " +
                "it go back to " + before + " (" + name(error) + " from sched_setaffinity).");
        }
    }

    @Override
    public String toString()
    {
        return "thread '" + thread.getName() + "' is pinned to core " + core + " (sched_getaffinity: " + core +
            (currentCore < 0 ? "" : ", sched_getcpu: " + currentCore) + "; before: " + before + ")";
    }
}
