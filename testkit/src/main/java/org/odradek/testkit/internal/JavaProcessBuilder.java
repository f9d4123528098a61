// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;

/**
 * The settings of a {@link JavaProcess}. Every child JVM gets {@code --add-exports
 * java.base/jdk.internal.misc=ALL-UNNAMED} and, on JDK 22 and later, {@code --enable-native-access=ALL-UNNAMED}.
 */
public final class JavaProcessBuilder
{
    private static final int FIRST_WITH_NATIVE_ACCESS = 22;
    private static final Consumer<String> IGNORE = (line) -> {};

    private final String mainClass;
    /** The command and arguments of a program that is not a JVM; null for a JVM. */
    private final List<String> program;
    private final List<String> wrapper = new ArrayList<>();
    private final List<String> flags = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private Path java = programIn(Path.of(System.getProperty("java.home"), "bin"));
    private String classPath = System.getProperty("java.class.path");
    private Consumer<String> stdoutConsumer = IGNORE;
    private Consumer<String> stderrConsumer = IGNORE;
    private Path outputFile;
    private boolean isKilledAtExit;

    JavaProcessBuilder(final String mainClass, final List<String> program)
    {
        this.mainClass = mainClass;
        this.program = program;
    }

    public JavaProcessBuilder java(final Path executable)
    {
        java = executable;
        return this;
    }

    /** Sets the class path, which must contain this library; the default is the class path of this JVM. */
    public JavaProcessBuilder classPath(final String path)
    {
        classPath = path;
        return this;
    }

    /** Starts the JVM through a command that replaces itself by the JVM, such as {@code ip netns exec NAME}. */
    public JavaProcessBuilder through(final List<String> command)
    {
        wrapper.addAll(command);
        return this;
    }

    public JavaProcessBuilder flags(final String... more)
    {
        Collections.addAll(flags, more);
        return this;
    }

    /**
     * Adds flags for a child that runs only for a short time: only C1 compiles, and the garbage collector has one
     * thread.
     */
    public JavaProcessBuilder startingQuickly()
    {
        return flags("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    }

    public JavaProcessBuilder args(final String... more)
    {
        Collections.addAll(arguments, more);
        return this;
    }

    /** Sets the consumer of the lines of standard output; a thread of the {@link JavaProcess} calls the consumer. */
    public JavaProcessBuilder onStdout(final Consumer<String> consumer)
    {
        stdoutConsumer = consumer;
        return this;
    }

    public JavaProcessBuilder onStderr(final Consumer<String> consumer)
    {
        stderrConsumer = consumer;
        return this;
    }

    /** Appends standard output and error to a file instead of passing them to the consumers. */
    public JavaProcessBuilder outputTo(final Path file)
    {
        outputFile = file;
        return this;
    }

    public JavaProcess start()
    {
        return new JavaProcess(this);
    }

    /** Sets that this JVM kills the child when this JVM exits, instead of sending SIGTERM first. */
    public JavaProcessBuilder killedAtExit()
    {
        isKilledAtExit = true;
        return this;
    }

    String mainClass()
    {
        return mainClass;
    }

    Consumer<String> stdoutConsumer()
    {
        return stdoutConsumer;
    }

    Consumer<String> stderrConsumer()
    {
        return stderrConsumer;
    }

    Path outputFile()
    {
        return outputFile;
    }

    boolean isKilledAtExit()
    {
        return isKilledAtExit;
    }

    ProcessBuilder toProcessBuilder(final Path folder) throws IOException
    {
        final List<String> command = new ArrayList<>(wrapper);
        command.add(java.toString());
        command.add("--add-exports");
        command.add("java.base/jdk.internal.misc=ALL-UNNAMED");
        if (featureVersion() >= FIRST_WITH_NATIVE_ACCESS)
        {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(flags);
        command.add("-D" + Leash.LAUNCH_FOLDER_PROPERTY + "=" + folder);
        command.add("@" + classPathFile(folder));
        command.add(Leash.class.getName());
        command.add(mainClass);
        command.addAll(arguments);

        final ProcessBuilder builder = new ProcessBuilder(program == null ? command : program);
        if (outputFile != null)
        {
            builder.redirectErrorStream(true);
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(outputFile.toFile()));
        }
        return builder;
    }

    /** The class path is in a file, because a class path may be longer than a command line can be. */
    private Path classPathFile(final Path folder) throws IOException
    {
        final StringBuilder absolute = new StringBuilder();
        for (final String entry : classPath.split(File.pathSeparator))
        {
            absolute.append(absolute.length() == 0 ? "" : File.pathSeparator).append(new File(entry).getAbsolutePath());
        }
        final String quoted = absolute.toString().replace("\\", "\\\\").replace("\"", "\\\"");
        return Files.writeString(folder.resolve("class-path"), "-cp \"" + quoted + "\"\n", Charset.defaultCharset());
    }

    static Path programIn(final Path folder)
    {
        final Path ofWindows = folder.resolve("java.exe");
        return Files.exists(ofWindows) ? ofWindows : folder.resolve("java");
    }

    private int featureVersion() throws IOException
    {
        return versionOf(java).orElse(Runtime.version()).feature();
    }

    /** Returns the version in the file "release" of a JDK, or empty if the JDK has no such file. */
    public static Optional<Runtime.Version> versionOf(final Path java) throws IOException
    {
        final Path release = java.toRealPath().getParent().resolveSibling("release");
        if (!Files.exists(release))
        {
            return Optional.empty();
        }
        final Properties properties = new Properties();
        properties.load(new StringReader(Files.readString(release)));
        return Optional.of(Runtime.Version.parse(properties.getProperty("JAVA_VERSION").replace("\"", "")));
    }
}
