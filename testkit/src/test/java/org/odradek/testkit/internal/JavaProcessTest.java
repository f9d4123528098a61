// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.testkit.Await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JavaProcessTest
{
    private static final int KILLED = 128 + 9;
    private static final int TERMINATED = 128 + 15;

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shouldHandOverLinesAndExitCode()
    {
        final List<String> errors = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess child = JavaProcess.of(Child.class).flags("-Dgreeting=hello")
            .args("speak", "two words", "").onStdout(lines::add).onStderr(errors::add).start())
        {
            final int exitCode = child.exitCode(30, TimeUnit.SECONDS);

            assertEquals(7, exitCode);
            assertEquals(List.of("hello", "[speak, two words, ]"), lines);
            assertEquals(List.of("an error"), errors);
            assertTrue(child.outputTail().contains("hello") && child.outputTail().contains("an error"));
        }
    }

    @Test
    void shouldTakeLinesToTheChild()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args("echo").onStdout(lines::add).start())
        {
            child.send("first");
            child.send("the second line");
            child.send("");

            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
            assertEquals(List.of("first", "the second line", ""), lines);
        }
    }

    @Test
    void shouldOpenTheInternalsThatChildrenNeed()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args("reach").onStdout(lines::add).start())
        {
            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
            assertEquals(List.of("open"), lines);
        }
    }

    @Test
    void shouldExitWithOneWhereMainThrows()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args("throw").start())
        {
            assertEquals(1, child.exitCode(30, TimeUnit.SECONDS));
            assertTrue(child.outputTail().contains("IllegalArgumentException: thrown"), child::outputTail);
        }
    }

    @Test
    void shouldSayWhatAProcessThatGoesOnHasSaid()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args("wait").onStdout(lines::add).start())
        {
            Await.until("the child", () -> lines.contains("waiting"));

            final Exception failure =
                assertThrows(IllegalStateException.class, () -> child.exitCode(1, TimeUnit.MILLISECONDS));

            assertTrue(failure.getMessage().contains("waiting"));
            child.terminate();
            assertEquals(TERMINATED, child.exitCode(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldPassOnWhatAConsumerThrows()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args("speak").onStdout((line) ->
        {
            throw new IllegalStateException("no " + line);
        }).start())
        {
            assertThrows(IllegalStateException.class, () -> child.exitCode(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldTakeGrandchildrenAlongWhenKilled()
    {
        try (JavaProcess child = JavaProcess.of(Child.class).args("parent").onStdout(lines::add).start())
        {
            Await.until("the grandchild", () -> lines.size() == 1);
            final ProcessHandle grandchild = ProcessHandle.of(Long.parseLong(lines.get(0))).orElseThrow();

            child.kill();

            assertEquals(KILLED, child.exitCode(1, TimeUnit.SECONDS));
            Await.until("the end of the grandchild", () -> !grandchild.isAlive());
            assertFalse(child.isAlive());
        }
    }

    @ParameterizedTest
    @CsvSource({"17.0.15, false", "21.0.1, false", "22, true", "25.0.3, true"})
    void shouldAllowNativeAccessWhenTheJdkSupportsTheFlag(final String version, final boolean isExpected)
        throws IOException
    {
        final TempFolder jdk = new TempFolder("odradek-test-");
        final Path java = Files.createDirectory(jdk.path().resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
        assertTrue(java.toFile().setExecutable(true));
        Files.writeString(jdk.path().resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");

        try (JavaProcess child = JavaProcess.of(Child.class).java(java).onStdout(lines::add).start())
        {
            assertEquals(0, child.exitCode(30, TimeUnit.SECONDS), child::outputTail);
        }

        assertEquals(isExpected, lines.get(0).contains("--enable-native-access=ALL-UNNAMED"), lines::toString);
        jdk.delete();
    }

    @Test
    void shouldFindTheProgramOfAJdkForWindows() throws IOException
    {
        final TempFolder jdk = new TempFolder("odradek-test-");
        final Path bin = Files.createDirectory(jdk.path().resolve("bin"));
        assertEquals(bin.resolve("java"), JavaProcessBuilder.programIn(bin));
        final Path java = Files.createFile(bin.resolve("java.exe"));
        Files.writeString(jdk.path().resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");

        assertEquals(java, JavaProcessBuilder.programIn(bin));
        assertEquals(21, JavaProcessBuilder.versionOf(java).orElseThrow().feature());
        jdk.delete();
    }

    @Test
    void shouldSayThatThereIsNoJava()
    {
        final JavaProcessBuilder builder = JavaProcess.of(Child.class).java(Path.of("no", "such", "java"));

        final Exception failure = assertThrows(RuntimeException.class, builder::start);

        assertTrue(failure.getMessage().contains("such"), failure::getMessage);
    }

    @Test
    void shouldAppendOutputToAFile() throws Exception
    {
        final TempFolder folder = new TempFolder("odradek-test-");
        final Path file = folder.path().resolve("output");
        try (JavaProcess child = JavaProcess.of(Child.class).args("speak").outputTo(file).start())
        {
            child.exitCode(30, TimeUnit.SECONDS);

            assertTrue(Files.readAllLines(file).containsAll(List.of("[speak]", "an error")));
        }
        finally
        {
            folder.delete();
        }
        assertFalse(Files.exists(folder.path()));
    }

    /**
     * The main class of the child processes.
     */
    public static final class Child
    {
        private Child()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            switch (args[0])
            {
                case "speak" -> speak(args);
                case "reach" -> reach();
                case "echo" -> echo();
                case "wait" -> awaitEnd();
                case "parent" -> startGrandchild();
                default -> throw new IllegalArgumentException("thrown");
            }
        }

        private static void speak(final String[] args)
        {
            System.out.println(System.getProperty("greeting"));
            System.out.println(Arrays.toString(args));
            System.err.println("an error");
            System.exit(7);
        }

        private static void reach() throws Exception
        {
            Class.forName("jdk.internal.misc.Unsafe").getMethod("getUnsafe").invoke(null);
            System.out.println("open");
        }

        private static void echo() throws InterruptedException
        {
            for (String line = "?"; !line.isEmpty(); System.out.println(line))
            {
                line = ParentLines.take();
            }
        }

        private static void awaitEnd() throws InterruptedException
        {
            System.out.println("waiting");
            Thread.currentThread().join();
        }

        private static void startGrandchild() throws InterruptedException
        {
            System.out.println(JavaProcess.of(Child.class).args("wait").start().pid());
            Thread.currentThread().join();
        }
    }
}
