// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples.profile;

import one.profiler.AsyncProfiler;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Runs the benchmark with the profiler "gc". {@code -Dframes=FILE} names captured frames; {@code -Dflame=true} runs
 * your handler twice more, for flame graphs of allocation and of CPU below target/flame-graphs. Arguments are options
 * of JMH.
 */
public final class ProfileHandler
{
    private static final Path FLAME_GRAPHS = Path.of("target", "flame-graphs");
    private static final int FIRST_JDK_WITH_NATIVE_ACCESS = 22;

    private ProfileHandler()
    {
    }

    /**
     * @param args options of JMH, and names of benchmarks.
     */
    public static void main(final String[] args) throws IOException, RunnerException, CommandLineOptionException
    {
        new Runner(options(args).addProfiler(GCProfiler.class).build()).run();
        if (Boolean.getBoolean("flame"))
        {
            final Path library = unpackProfiler(Files.createDirectories(FLAME_GRAPHS));
            for (final String event : new String[] {"alloc", "cpu"})
            {
                new Runner(options(args).include("yours").addProfiler(org.openjdk.jmh.profile.AsyncProfiler.class,
                    "libPath=" + library + ";event=" + event +
                    ";output=flamegraph;direction=forward;dir=" + FLAME_GRAPHS).build()).run();
            }
        }
    }

    private static ChainedOptionsBuilder options(final String[] args) throws CommandLineOptionException
    {
        final ChainedOptionsBuilder options = new OptionsBuilder().parent(new CommandLineOptions(args))
            .param("frames", System.getProperty("frames", ""));
        return Runtime.version().feature() < FIRST_JDK_WITH_NATIVE_ACCESS ? options :
            options.jvmArgsPrepend("--enable-native-access=ALL-UNNAMED");
    }

    /** The jar of async-profiler holds its library for Linux and macOS. */
    private static Path unpackProfiler(final Path folder) throws IOException
    {
        final String arch = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
        final String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ?
            "macos" : "linux-" + arch;
        final Path library = folder.resolve("libasyncProfiler.so").toAbsolutePath();
        try (InputStream content = AsyncProfiler.class.getResourceAsStream("/" + system + "/libasyncProfiler.so"))
        {
            Files.copy(content, library, StandardCopyOption.REPLACE_EXISTING);
        }
        return library;
    }
}
