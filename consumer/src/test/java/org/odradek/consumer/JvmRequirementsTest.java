// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.internal.JavaProcess;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the errors in a JVM that lacks a flag or memory. Each test runs in a JVM of its own.
 */
class JvmRequirementsTest
{
    /** Prints the error of conclude(). */
    public static final class Concluder
    {
        private Concluder()
        {
        }

        public static void main(final String[] args)
        {
            try
            {
                final ConsumerContext context = args.length > 1 ?
                    ConsumerContext.from(Map.of("bootstrap.servers", args[1])) :
                    new ConsumerContext().bootstrapServers("127.0.0.1:9092");
                System.out.println("budget " + context.topic("topic")
                    .expectedLeaders(Integer.parseInt(args[0])).conclude().memoryBudget());
            }
            catch (final IllegalStateException ex)
            {
                System.out.println(ex.getMessage());
            }
        }
    }

    private static String conclude(final int expectedLeaders, final String... flags)
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(Concluder.class).flags(flags)
            .args(Integer.toString(expectedLeaders)).onStdout(lines::add).start())
        {
            assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
        }
        assertEquals(1, lines.size(), lines::toString);
        return lines.get(0);
    }

    @Test
    void shouldCompareTheBudgetWithTheLimitOfDirectMemory()
    {
        final String text = conclude(10, "-XX:MaxDirectMemorySize=12m", "-Xmx512m");
        for (final String part : new String[] {"memory budget of ", "limit of " + 12 * 1024 * 1024 + " bytes",
            "-XX:MaxDirectMemorySize", "-Xmx", "fetchMaxBytes", "fetchMemory", "expectedLeaders"})
        {
            assertTrue(text.contains(part), text);
        }
        assertTrue(conclude(1, "-XX:MaxDirectMemorySize=12m").startsWith("budget "));
    }

    @Test
    void shouldCompareTheBudgetWithTheHeapWhenNoLimitIsSet()
    {
        final String text = conclude(100, "-Xmx32m");
        assertTrue(text.contains("limit of ") && text.contains("it equals -Xmx unless set"), text);
        assertTrue(conclude(1, "-Xmx32m").startsWith("budget "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "1 127.0.0.1:9092"})
    void shouldNameTheFlagThatAgronaNeeds(final String args) throws Exception
    {
        final List<String> command = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path"),
            Concluder.class.getName()));
        command.addAll(List.of(args.split(" ")));

        final String text = run(command);
        assertTrue(text.contains("needs the JVM flag --add-exports java.base/jdk.internal.misc=ALL-UNNAMED: add it " +
            "to the java command, or the line \"Add-Exports: java.base/jdk.internal.misc\" to the manifest"), text);
        assertEquals(1, text.lines().count(), text);

        command.addAll(0, List.of("--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"));
        assertTrue(run(command).startsWith("budget "));
    }

    @Test
    void shouldNeedNoFlagInAJarWhoseManifestHasIt(@TempDir final Path folder) throws Exception
    {
        final Manifest manifest = new Manifest();
        final Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, Concluder.class.getName());
        attributes.put(Attributes.Name.CLASS_PATH, Arrays.stream(System.getProperty("java.class.path")
            .split(File.pathSeparator)).map((entry) -> Path.of(entry).toUri().toString())
            .collect(Collectors.joining(" ")));
        attributes.putValue("Add-Exports", "java.base/jdk.internal.misc");
        final Path jar = folder.resolve("program.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();

        final String text = run(List.of("-jar", jar.toString(), "1"));

        assertTrue(text.startsWith("budget "), text);
    }

    /** Runs this JDK without the flags that {@link JavaProcess} adds. */
    private static String run(final List<String> arguments) throws Exception
    {
        final List<String> command = new ArrayList<>(arguments);
        command.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), text);
        return text;
    }
}
