// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs Jazzer on one target at a time, each in a JVM of its own, because a JVM can fuzz only one target. What Jazzer
 * learns stays in its working folder and is used by the next run.
 */
public final class Fuzzer
{
    private static final Pattern EXECUTED = Pattern.compile("stat::number_of_executed_units: (\\d+)");
    /** Only an endless loop takes this long: other inputs take less than a thousandth of it on any machine. */
    private static final int LONGEST_INPUT_SECONDS = 300;
    private static final int FIRST_JDK_WITH_AGENT_FLAG = 21;
    private static final int FIRST_JDK_WITH_NATIVE_ACCESS_FLAG = 22;

    private static final String INSTRUMENTED = "org.odradek.protocol.**:org.odradek.client.**:org.odradek.consumer.**";
    /** What our code does not do, such as SQL: to look for it would take a third of a short run. */
    private static final String NOT_SEARCHED = Stream.of("BigDecimal", "ClojureLangHooks", "Deserialization",
        "ExpressionLanguageInjection", "FilePathTraversal", "LdapInjection", "NamingContextLookup",
        "OsCommandInjection", "ReflectiveCall", "RegexInjection", "RegexRoadblocks", "ScriptEngineInjection",
        "ServerSideRequestForgery", "SqlInjection", "TemplateInjection", "XPathInjection", "XmlParserSsrfGuidance")
        .map((name) -> "com.code_intelligence.jazzer.sanitizers." + name).collect(Collectors.joining(":"));
    private static final String FINDINGS = "findings";
    private static final String CURRENT = "current";

    private final Corpus corpus;
    private final Path work;

    /** The result of one run. */
    public record Result(long inputs, List<byte[]> findings, Path log)
    {
    }

    /** @param work a folder for learnt inputs and logs. */
    public Fuzzer(final Corpus corpus, final Path work)
    {
        this.corpus = corpus;
        this.work = work;
    }

    /**
     * @param seconds    to fuzz, after the corpus has been read.
     * @param isChecking whether Agrona checks bounds.
     */
    public Result run(final FuzzTarget target, final int seconds, final boolean isChecking)
        throws IOException, InterruptedException
    {
        return run(target, isChecking, false, "-max_total_time=" + seconds, learnt(target).toString(),
            export(target).toString());
    }

    /**
     * Begins with the corpus alone and tries the same inputs each time.
     *
     * @param inputs  maximum number of inputs after those of the corpus.
     * @param seconds maximum time.
     */
    public Result tryOut(final FuzzTarget target, final int inputs, final int seconds, final boolean isChecking)
        throws IOException, InterruptedException
    {
        // Jazzer writes what it learns to the first folder.
        final Path scratch = Files.createDirectories(work.resolve(target.label()).resolve("scratch"));
        clear(scratch);
        return run(target, isChecking, true, "-seed=1", "-runs=" + (inputs + corpus.entries(target).size()),
            "-max_total_time=" + seconds, scratch.toString(), export(target).toString());
    }

    /** Adds the learnt inputs to the corpus that reach code which no other input of the corpus reaches. */
    public void merge(final FuzzTarget target) throws IOException, InterruptedException
    {
        final Path folder = export(target);
        run(target, true, false, "-merge=1", folder.toString(), learnt(target).toString());
        for (final byte[] input : read(folder))
        {
            corpus.add(target, input);
        }
    }

    /** Writes each input of the corpus to a file of its own, as Jazzer needs them. */
    private Path export(final FuzzTarget target) throws IOException
    {
        final Path folder = Files.createDirectories(work.resolve(target.label()).resolve("corpus"));
        clear(folder);
        for (final Map.Entry<String, Corpus.Entry> entry : corpus.entries(target).entrySet())
        {
            Files.write(folder.resolve(entry.getKey()), entry.getValue().input());
        }
        return folder;
    }

    private Result run(
        final FuzzTarget target, final boolean isChecking, final boolean isShort, final String... arguments)
        throws IOException, InterruptedException
    {
        final Path folder = work.resolve(target.label());
        final Path findings = Files.createDirectories(folder.resolve(FINDINGS));
        final Path current = folder.resolve(CURRENT);
        final Path log = folder.resolve(isChecking ? "checked.log" : "unchecked.log");
        clear(findings);
        Files.deleteIfExists(current);

        final List<String> command = command(target, isChecking, isShort);
        command.addAll(List.of(arguments));
        final int exitCode = new ProcessBuilder(command).directory(folder.toFile())
            .redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();

        final List<byte[]> found = read(findings);
        if (exitCode != 0 && found.isEmpty())
        {
            found.add(lastInput(current, log));
        }
        return new Result(executed(log), found, log);
    }

    private List<String> command(final FuzzTarget target, final boolean isChecking, final boolean isShort)
    {
        final Path folder = work.resolve(target.label());
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-ea", "-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-XX:-CreateCoredumpOnCrash",
            "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=" + !isChecking));
        if (Runtime.version().feature() >= FIRST_JDK_WITH_AGENT_FLAG)
        {
            command.add("-XX:+EnableDynamicAgentLoading");
        }
        if (Runtime.version().feature() >= FIRST_JDK_WITH_NATIVE_ACCESS_FLAG)
        {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (isShort)
        {
            // A short run mostly starts and instruments.
            command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        }
        command.addAll(List.of(
            // With Surefire, java.class.path is a jar that refers to the real class path.
            "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + FuzzEntry.class.getName(),
            "--target_args=" + target.getClass().getName() + " " + target.label() + " " + CURRENT,
            "--instrumentation_includes=" + INSTRUMENTED,
            "--custom_hook_includes=" + INSTRUMENTED,
            "--disabled_hooks=" + NOT_SEARCHED,
            "--reproducer_path=" + folder,
            "-artifact_prefix=" + folder.resolve(FINDINGS) + "/",
            "-max_len=" + FuzzEntry.MAX_INPUT_LENGTH,
            "-timeout=" + LONGEST_INPUT_SECONDS,
            "-print_final_stats=1"));
        return command;
    }

    private Path learnt(final FuzzTarget target) throws IOException
    {
        return Files.createDirectories(work.resolve(target.label()).resolve("learnt"));
    }

    private static List<byte[]> read(final Path folder) throws IOException
    {
        final List<byte[]> contents = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder))
        {
            for (final Path file : files.sorted().toList())
            {
                contents.add(Files.readAllBytes(file));
            }
        }
        return contents;
    }

    private static void clear(final Path folder) throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
    }

    /** The input that was being read when the JVM crashed. */
    private static byte[] lastInput(final Path current, final Path log) throws IOException
    {
        if (!Files.exists(current))
        {
            throw new IllegalStateException("The fuzzer did not start. Its log is " + log + ".");
        }
        final ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(current));
        final byte[] input = new byte[content.getInt()];
        content.get(input);
        return input;
    }

    private static long executed(final Path log) throws IOException
    {
        final Matcher executed = EXECUTED.matcher(Files.readString(log, StandardCharsets.ISO_8859_1));
        return executed.find() ? Long.parseLong(executed.group(1)) : 0;
    }
}
