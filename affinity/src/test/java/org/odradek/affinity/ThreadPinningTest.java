// SPDX-License-Identifier: Apache-2.0
package org.odradek.affinity;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentInvoker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.testkit.internal.JavaProcess;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

public class ThreadPinningTest
{
    /** A kernel of four cores that can refuse or lose the affinity. */
    private static final class Kernel implements ThreadPinning.Calls
    {
        private int setError;
        private int getError;
        private int currentCore = -1;
        private boolean isLosingAffinity;
        private CoreSet allowed = CoreSet.parse("0-3");

        @Override
        public int setAffinity(final long[] mask)
        {
            if (setError == 0 && !isLosingAffinity)
            {
                allowed = CoreSet.ofMask(mask);
            }
            return setError;
        }

        @Override
        public int getAffinity(final long[] mask)
        {
            final long[] all = allowed.toMask();
            System.arraycopy(all, 0, mask, 0, all.length);
            return getError;
        }

        @Override
        public int currentCore()
        {
            return currentCore;
        }
    }

    /** Runs in a JVM of its own, whose class path has no JNA. */
    public static final class WithoutJna
    {
        private WithoutJna()
        {
        }

        public static void main(final String[] args)
        {
            System.out.println(assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(0)).getMessage());
        }
    }

    /** Runs in a JVM of its own, in which JNA cannot unpack its native library. Pins twice, as a pipeline does. */
    public static final class WithoutLibrary
    {
        private WithoutLibrary()
        {
        }

        public static void main(final String[] args)
        {
            for (int attempt = 1; attempt <= 2; attempt++)
            {
                System.out.println(assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(0)).getMessage());
            }
        }
    }

    private final Kernel kernel = new Kernel();

    /** Pins a new thread to each allowed core, and then restores it. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldPinToEachAllowedCoreAndRestore() throws Exception
    {
        final FutureTask<Void> task = new FutureTask<>(() ->
        {
            // The kernel leaves out cores that are offline, which /proc may list.
            final CoreSet before = ThreadPinning.allowedCores();
            for (int core = before.nextCore(0); core >= 0; core = before.nextCore(core + 1))
            {
                try (ThreadPinning pinning = ThreadPinning.pin(core))
                {
                    assertEquals(core, pinning.core());
                    assertEquals(before, pinning.before());
                    assertEquals(CoreSet.of(core), allowedByProc());
                    assertEquals("thread 'to pin' is pinned to core " + core + " (sched_getaffinity: " + core +
                        ", sched_getcpu: " + core + "; before: " + before + ")", pinning.toString());
                }
                assertEquals(before, allowedByProc());
            }
            return null;
        });
        new Thread(task, "to pin").start();
        task.get();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldPinAnAgentFromItsStartToItsEnd()
    {
        final CoreSet before = ThreadPinning.allowedCores();
        final int core = before.nextCore(0);
        final Queue<Object> seen = new ConcurrentLinkedQueue<>();
        final AgentInvoker invoker = new AgentInvoker(seen::add, null, new PinnedAgent(core, agent(seen), seen::add));

        invoker.start();
        invoker.invoke();
        invoker.close();

        assertEquals(core, ((ThreadPinning) seen.remove()).core());
        assertEquals(CoreSet.of(core), seen.remove());
        assertEquals(0, seen.size());
        assertEquals(before, ThreadPinning.allowedCores());
    }

    /** The thread of an invoker lives longer than its agent. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldUnpinAnAgentThatCannotBeClosed()
    {
        final CoreSet before = ThreadPinning.allowedCores();
        final Queue<Object> seen = new ConcurrentLinkedQueue<>();
        final AgentInvoker invoker = new AgentInvoker(seen::add, null, new PinnedAgent(before.nextCore(0), new Agent()
        {
            @Override
            public int doWork()
            {
                return 0;
            }

            @Override
            public void onClose()
            {
                throw new IllegalStateException("cannot be closed");
            }

            @Override
            public String roleName()
            {
                return "failing";
            }
        }, (pinning) -> {}));

        invoker.start();
        invoker.close();

        assertEquals("cannot be closed", ((IllegalStateException)seen.remove()).getMessage());
        assertEquals(before, ThreadPinning.allowedCores());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldNotStartAnAgentThatCannotBePinned()
    {
        final Queue<Object> seen = new ConcurrentLinkedQueue<>();
        final AgentInvoker invoker =
            new AgentInvoker(seen::add, null, new PinnedAgent(CoreSet.CAPACITY - 1, agent(seen), seen::add));

        invoker.start();
        assertEquals(0, invoker.invoke());
        invoker.close();

        assertTrue(((IllegalStateException) seen.remove()).getMessage().contains("EINVAL"));
        assertEquals(0, seen.size());
    }

    private static Agent agent(final Queue<Object> seen)
    {
        return new Agent()
        {
            @Override
            public int doWork()
            {
                seen.add(ThreadPinning.allowedCores());
                return 1;
            }

            @Override
            public String roleName()
            {
                return "pinned";
            }
        };
    }

    private static CoreSet allowedByProc() throws Exception
    {
        final String name = "Cpus_allowed_list:";
        return CoreSet.parse(Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
            .filter((line) -> line.startsWith(name)).findFirst().orElseThrow().substring(name.length()));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldNameTheAllowedCoresWhenTheCoreDoesNotExist()
    {
        final IllegalStateException refusal =
            assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(CoreSet.CAPACITY - 1));

        assertTrue(refusal.getMessage().startsWith("This thread cannot be pinned to core 8191 (EINVAL from " +
            "sched_setaffinity; it may use " + ThreadPinning.allowedCores() + "): "), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"1, EPERM, seccomp", "38, ENOSYS, seccomp", "22, EINVAL, cpuset", "5, errno 5, sched_setaffinity(2)"})
    void shouldReportWhyTheKernelRefuses(final int error, final String name, final String hint)
    {
        kernel.setError = error;

        final String sentence =
            assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(2, kernel)).getMessage();
        assertTrue(sentence.startsWith("This thread cannot be pinned to core 2 (" + name + " from sched_setaffinity; " +
            "it may use 0-3): ") && sentence.contains(hint), sentence);
    }

    @Test
    void shouldReportThatReadingTheAffinityIsForbidden()
    {
        kernel.getError = 1;

        final String sentence =
            assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(2, kernel)).getMessage();
        assertTrue(sentence.contains("(EPERM from sched_getaffinity)"), sentence);
    }

    @Test
    void shouldReportAKernelThatDoesNotKeepTheAffinity()
    {
        kernel.isLosingAffinity = true;
        assertTrue(assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(2, kernel)).getMessage()
            .contains("did not keep it: sched_getaffinity returns 0-3"));

        kernel.isLosingAffinity = false;
        kernel.currentCore = 1;
        assertTrue(assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(2, kernel)).getMessage()
            .contains("sched_getcpu returns 1"));
        assertEquals("0-3", kernel.allowed.toString());
    }

    @Test
    void shouldWorkWithoutTheCurrentCore()
    {
        assertTrue(ThreadPinning.pin(2, kernel).toString().endsWith("(sched_getaffinity: 2; before: 0-3)"));
    }

    @Test
    void shouldRestoreOnItsOwnThreadOnly() throws Exception
    {
        final ThreadPinning pinning = ThreadPinning.pin(2, kernel);
        final FutureTask<IllegalStateException> other =
            new FutureTask<>(() -> assertThrows(IllegalStateException.class, pinning::close));
        new Thread(other, "other").start();
        assertTrue(other.get().getMessage().contains("other"));
        assertEquals("2", kernel.allowed.toString());

        kernel.setError = 1;
        assertTrue(assertThrows(IllegalStateException.class, pinning::close).getMessage().contains("stays pinned"));

        kernel.setError = 0;
        pinning.close();
        assertEquals("0-3", kernel.allowed.toString());
    }

    @Test
    void shouldRefuseAnImpossibleCore()
    {
        assertThrows(IllegalArgumentException.class, () -> ThreadPinning.pin(-1));
        assertThrows(IllegalArgumentException.class, () -> ThreadPinning.pin(CoreSet.CAPACITY));
    }

    @Test
    void shouldReportThatOtherSystemsCannotPin()
    {
        assertEquals("A thread can be pinned to a core on Linux only; this system is Mac OS X.",
            assertThrows(IllegalStateException.class, () -> ThreadPinning.calls("Mac OS X")).getMessage());
    }

    @Test
    void shouldReportThatTheNativeLibraryDoesNotLoad()
    {
        final String sentence = ThreadPinning.unavailability(new UnsatisfiedLinkError("failed to map segment\nmore"));

        assertTrue(sentence.contains("(failed to map segment)") && sentence.contains("jna.tmpdir"), sentence);
    }

    @Test
    void shouldReportThatTheNativeLibraryHasNotLoadedBefore()
    {
        final NoClassDefFoundError later = new NoClassDefFoundError("Could not initialize class com.sun.jna.Native");
        final String sentence = ThreadPinning.unavailability(later);
        assertTrue(sentence.contains("(Could not initialize class com.sun.jna.Native)") &&
            sentence.contains("jna.tmpdir"), sentence);

        later.initCause(new ExceptionInInitializerError("Exception java.lang.UnsatisfiedLinkError: no room"));
        final String withCause = ThreadPinning.unavailability(later);
        assertTrue(withCause.contains("UnsatisfiedLinkError: no room") && withCause.contains("jna.tmpdir"), withCause);
    }

    @Test
    void shouldReportThatTheNativeLibraryHasAnotherVersion()
    {
        final String sentence = ThreadPinning.unavailability(new Error("\n\nan incompatible library\nmore"));

        assertTrue(sentence.contains("(an incompatible library)") && sentence.contains("jna.tmpdir"), sentence);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldReportEachTimeThatTheNativeLibraryDoesNotLoad()
    {
        try (JavaProcess child = JavaProcess.of(WithoutLibrary.class)
            .flags("-Djna.nosys=true", "-Djna.tmpdir=/dev/null/none").start())
        {
            assertEquals(0, child.exitCode(60, TimeUnit.SECONDS), child.outputTail());
            assertEquals(2, child.outputTail().lines().filter((line) ->
                line.startsWith("Pinning a thread needs JNA, whose native library does not load here")).count(),
                child.outputTail());
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void shouldRefuseAVirtualThread() throws Exception
    {
        final FutureTask<String> task = new FutureTask<>(() ->
        {
            assertThrows(IllegalStateException.class, ThreadPinning::allowedCores);
            return assertThrows(IllegalStateException.class, () -> ThreadPinning.pin(0)).getMessage();
        });

        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);

        assertEquals("A virtual thread cannot be pinned: its carrier would be. Use a platform thread.", task.get());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldNameTheJarThatIsMissing()
    {
        final String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((path) -> !path.contains("jna")).collect(Collectors.joining(File.pathSeparator));
        try (JavaProcess child = JavaProcess.of(WithoutJna.class).classPath(classPath).start())
        {
            assertEquals(0, child.exitCode(60, TimeUnit.SECONDS), child.outputTail());
            assertTrue(child.outputTail().startsWith("Pinning a thread needs net.java.dev.jna:jna on the class path"),
                child.outputTail());
        }
    }
}
