// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs Jazzer on one target at a time, each in a JVM of its own, because a JVM fuzzes one target only. What it learns
 * stays in the folder it works in and is taken up by the next run.
 */
public final class Fuzzer
{
    private static final Pattern EXECUTED = Pattern.compile("stat::number_of_executed_units: (\\d+)");
    /** No input takes a thousandth of this; only an endless loop does, on whatever machine. */
    private static final int LONGEST_INPUT_SECONDS = 300;
    private static final int FIRST_JDK_THAT_ASKS_ABOUT_AGENTS = 21;
    private static final int FIRST_JDK_THAT_ASKS_ABOUT_NATIVE_CODE = 22;

    private static final String FINDINGS = "findings";
    private static final String CURRENT = "current";

    private final Corpus corpus;
    private final Path work;

    /** What came of one run. */
    public record Result(long inputs, List<byte[]> findings, Path log)
    {
    }

    /** @param work a folder for what is learnt and for logs. */
    public Fuzzer(final Corpus corpus, final Path work)
    {
        this.corpus = corpus;
        this.work = work;
    }

    /**
     * @param seconds    to look for more, after the corpus has been read.
     * @param isChecking whether Agrona checks bounds.
     */
    public Result run(final FuzzTarget target, final int seconds, final boolean isChecking)
        throws IOException, InterruptedException
    {
        return run(target, isChecking, false, "-max_total_time=" + seconds, learnt(target).toString(),
            corpus.folder(target).toString());
    }

    /**
     * Begins from the corpus alone and tries the same inputs every time.
     *
     * @param inputs  at most, after those of the corpus.
     * @param seconds at most.
     */
    public Result tryOut(final FuzzTarget target, final int inputs, final int seconds, final boolean isChecking)
        throws IOException, InterruptedException
    {
        // Without a folder of its own, in front of the corpus, the fuzzer would write what it learns into the corpus.
        final Path scratch = Files.createDirectories(work.resolve(target.folder()).resolve("scratch"));
        clear(scratch);
        return run(target, isChecking, true, "-seed=1", "-runs=" + (inputs + corpus.inputs(target).size()),
            "-max_total_time=" + seconds, scratch.toString(), corpus.folder(target).toString());
    }

    /** Adds to the corpus those of the inputs learnt that reach what no input of the corpus does. */
    public Result merge(final FuzzTarget target) throws IOException, InterruptedException
    {
        return run(target, true, false, "-merge=1", corpus.folder(target).toString(), learnt(target).toString());
    }

    private Result run(
        final FuzzTarget target, final boolean isChecking, final boolean isShort, final String... arguments)
        throws IOException, InterruptedException
    {
        final Path folder = work.resolve(target.folder());
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
        final Path folder = work.resolve(target.folder());
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-ea", "-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-XX:-CreateCoredumpOnCrash",
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=" + !isChecking));
        if (Runtime.version().feature() >= FIRST_JDK_THAT_ASKS_ABOUT_AGENTS)
        {
            command.add("-XX:+EnableDynamicAgentLoading");
        }
        if (Runtime.version().feature() >= FIRST_JDK_THAT_ASKS_ABOUT_NATIVE_CODE)
        {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (isShort)
        {
            // Starting and instrumenting is most of a short run.
            command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        }
        command.addAll(List.of(
            // Surefire's own class path is a jar that names the real one.
            "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + FuzzEntry.class.getName(),
            "--target_args=" + target.folder() + " " + folder.resolve(CURRENT),
            "--instrumentation_includes=org.odradek.protocol.**",
            "--custom_hook_includes=org.odradek.protocol.**",
            "--reproducer_path=" + folder,
            "-artifact_prefix=" + folder.resolve(FINDINGS) + "/",
            "-max_len=" + FuzzEntry.MAX_INPUT_LENGTH,
            "-timeout=" + LONGEST_INPUT_SECONDS,
            "-print_final_stats=1"));
        return command;
    }

    private Path learnt(final FuzzTarget target) throws IOException
    {
        return Files.createDirectories(work.resolve(target.folder()).resolve("learnt"));
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

    /** What was being read when the JVM died. */
    private static byte[] lastInput(final Path current, final Path log) throws IOException
    {
        if (!Files.exists(current))
        {
            throw new IllegalStateException("The fuzzer did not begin; it says why in " + log);
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
