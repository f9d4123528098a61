// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.agrona.IoUtil;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;

/**
 * The program that reads with librdkafka, which exchanges the lines of a client but knows no core. It is
 * our source, compiled by the machine's C compiler against the library in the binary package of its own maintainers'
 * Python client, or else against the one that is installed. pip downloads that package from whatever index the machine
 * uses; nothing of it is installed. A program once made is used again until the source or the pinned version changes.
 *
 * @param root folder in which programs are made and kept; the others are commands of the machine.
 */
record Librdkafka(Path root, String python, String pkgConfig, String compiler)
{
    private static final String WHEEL = "confluent-kafka-2.16.1";
    private static final String LIBRARY_PATTERN = "/confluent_kafka\\.libs/librdkafka-[0-9a-f]+\\.so\\.1";
    private static final String PROGRAM = "librdkafka_client";
    private static final List<String> SOURCES =
        List.of("main.c", "client.c", "catchup.c", "live.c", "member.c", "client.h", "rdkafka_abi.h");
    private static final String BESIDE_PROGRAM = "-Wl,-rpath,$ORIGIN";
    private static final int STEP_TIMEOUT_SECONDS = 120;
    private static final int REST_BEYOND_WAIT_MS = 200;
    private static Path program;
    private static Arm.MissingException whyNot;

    static Child start(final String name, final Settings settings, final Child.Jvm unused)
    {
        return Child.start(name, command(program(), settings));
    }

    /**
     * @return the program and its arguments. All else has the library's defaults, except what keeps it from reading a
     *     log without a pause.
     */
    static List<String> command(final Path program, final Settings given)
    {
        final Settings settings = Arms.held(given);
        final List<String> command = new ArrayList<>(List.of(
            program.toString(),
            settings.text("topic"),
            Integer.toString(settings.numbers("partitions").length),
            Long.toString(settings.number("records", 0)),
            Integer.toString(settings.number("fetchMaxWaitMs") + REST_BEYOND_WAIT_MS),
            settings.text("pollTimeoutMs"),
            "bootstrap.servers=" + settings.text("bootstrap"),
            "fetch.max.bytes=" + settings.text("fetchMaxBytes"),
            "max.partition.fetch.bytes=" + settings.text("partitionMaxBytes"),
            "fetch.min.bytes=" + settings.text("fetchMinBytes"),
            "fetch.wait.max.ms=" + settings.text("fetchMaxWaitMs"),
            "check.crcs=" + settings.text("checkCrcs")));
        // It consumes in no other way than with a name for a group; without a real one nothing is ever committed.
        command.addAll(settings.has("group") ?
            List.of("group.id=" + settings.text("group"), "group.protocol=consumer", "auto.offset.reset=earliest") :
            List.of("group.id=unused", "enable.auto.commit=false"));
        if (settings.has(Cluster.TRUST_PEM))
        {
            command.addAll(List.of("security.protocol=ssl", "ssl.ca.location=" + settings.text(Cluster.TRUST_PEM)));
        }
        if (settings.has("records"))
        {
            // Its defaults stop fetching for a second once 100,000 records wait, which it reads in a twentieth of that.
            command.addAll(List.of("queued.min.messages=1000000", "fetch.queue.backoff.ms=1"));
        }
        return command;
    }

    /**
     * @return the program, in the build folder of this module. It is looked for once in a run.
     * @throws Arm.MissingException if this machine cannot make it.
     */
    static synchronized Path program()
    {
        if (program == null && whyNot == null)
        {
            try
            {
                program = new Librdkafka(buildFolder().resolve("native"), "python3", "pkg-config", "cc").find();
            }
            catch (final Arm.MissingException ex)
            {
                whyNot = ex;
            }
        }
        if (whyNot != null)
        {
            throw whyNot;
        }
        return program;
    }

    Path find()
    {
        try
        {
            final Path fetched = root.resolve(WHEEL + "-" + sourceHash());
            return isMade(fetched) ? fetched.resolve(PROGRAM) : make(fetched);
        }
        catch (final IOException ex)
        {
            throw new Arm.MissingException("its files could not be written: " + ex.getClass().getSimpleName());
        }
    }

    private static boolean isMade(final Path folder)
    {
        return Files.isExecutable(folder.resolve(PROGRAM));
    }

    /** Made in another folder and moved in one step, so that of two runs at once neither sees the other's half. */
    private Path make(final Path fetched) throws IOException
    {
        Files.createDirectories(root);
        final Path folder = Files.createTempDirectory(root, "making-");
        try
        {
            final List<String> command =
                new ArrayList<>(List.of(compiler, "-O2", "-std=c11", "-pthread", "-o", PROGRAM));
            for (final String source : SOURCES)
            {
                Files.write(folder.resolve(source), bytes(source));
                if (source.endsWith(".c"))
                {
                    command.add(source);
                }
            }
            final List<String> linkArguments = linkArguments(folder);
            command.addAll(linkArguments);
            runStep(folder, "compiler", command);
            // One made against what is installed must not stand in the place of the pinned version.
            final Path made =
                linkArguments.contains(BESIDE_PROGRAM) ? fetched : root.resolve("installed-" + sourceHash());
            move(folder, made);
            return made.resolve(PROGRAM);
        }
        finally
        {
            IoUtil.delete(folder.toFile(), true);
        }
    }

    private static void move(final Path folder, final Path made) throws IOException
    {
        try
        {
            Files.move(folder, made, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final FileSystemException ex)
        {
            // Another run may have made it a moment ago.
            if (!isMade(made))
            {
                throw ex;
            }
        }
    }

    private List<String> linkArguments(final Path folder) throws IOException
    {
        try
        {
            return List.of("./" + fetchLibrary(folder), BESIDE_PROGRAM);
        }
        catch (final Arm.MissingException whyNoWheel)
        {
            try
            {
                return List.of(
                    runStep(folder, "pkg-config", List.of(pkgConfig, "--libs", "rdkafka")).split(" +"));
            }
            catch (final Arm.MissingException whyNotInstalled)
            {
                throw new Arm.MissingException("librdkafka could neither be fetched (" + whyNoWheel.getMessage() +
                    ") nor found on this machine (" + whyNotInstalled.getMessage() + ")");
            }
        }
    }

    /** The machine's Python may be any version that has pip. */
    private Path fetchLibrary(final Path folder) throws IOException
    {
        if (!System.getProperty("os.name").equals("Linux"))
        {
            throw new Arm.MissingException("its binary package is used on Linux only");
        }
        final String architecture = System.getProperty("os.arch").equals("amd64") ? "x86_64" : "aarch64";
        runStep(folder, "pip", List.of(python, "-m", "pip", "download", "--disable-pip-version-check",
            "--no-input", "--retries", "1", "--timeout", "20", "--no-deps", "--only-binary", ":all:",
            "--implementation", "cp", "--python-version", "3.11", "--platform", "manylinux_2_28_" + architecture,
            "--dest", ".", WHEEL.replaceFirst("-(?=[0-9])", "==")));
        final Path wheel = only(folder, ".*\\.whl", "pip left no package behind");
        try (FileSystem zip = FileSystems.newFileSystem(wheel))
        {
            final Path library = only(zip.getPath("/"), LIBRARY_PATTERN, WHEEL + " holds no librdkafka");
            final String name = library.getFileName().toString();
            Files.copy(library, folder.resolve(name));
            return Path.of(name);
        }
    }

    private static Path only(final Path folder, final String pattern, final String otherwise) throws IOException
    {
        try (Stream<Path> files = Files.walk(folder))
        {
            return files.filter(file -> file.toString().matches(pattern)).findAny()
                .orElseThrow(() -> new Arm.MissingException(otherwise));
        }
    }

    /**
     * Runs a command of the machine. What it writes stays in NAME.log: it may name hosts and folders of the machine.
     *
     * @return what it wrote.
     */
    private static String runStep(final Path folder, final String name, final List<String> command) throws IOException
    {
        final Path log = folder.resolveSibling(name + ".log");
        final Process process;
        try
        {
            process = new ProcessBuilder(command).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        }
        catch (final IOException ex)
        {
            throw new Arm.MissingException(command.get(0) + " is not installed");
        }
        try
        {
            if (!process.waitFor(STEP_TIMEOUT_SECONDS, TimeUnit.SECONDS))
            {
                throw new Arm.MissingException(name + " did not end within " + STEP_TIMEOUT_SECONDS + " s");
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new Arm.MissingException(name + " was interrupted");
        }
        finally
        {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0)
        {
            throw new Arm.MissingException(
                name + " failed with exit code " + process.exitValue() + ", see " + log.getFileName());
        }
        return Files.readString(log).trim();
    }

    private static String sourceHash() throws IOException
    {
        final CRC32 crc32 = new CRC32();
        for (final String source : SOURCES)
        {
            crc32.update(bytes(source));
        }
        return Long.toHexString(crc32.getValue());
    }

    private static byte[] bytes(final String source) throws IOException
    {
        try (InputStream bytes = Librdkafka.class.getResourceAsStream(source))
        {
            return bytes.readAllBytes();
        }
    }

    /** Classes and jar are in the module's build folder; elsewhere the program is made among temporary files. */
    private static Path buildFolder()
    {
        final String classes = Librdkafka.class.getProtectionDomain().getCodeSource().getLocation().toString();
        final Path parent = Path.of(URI.create(classes)).getParent();
        return parent.endsWith("target") ? parent :
            Path.of(System.getProperty("java.io.tmpdir"), "odradek-" + System.getProperty("user.name"));
    }
}
