// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;

/**
 * The program that reads with librdkafka, which exchanges the lines of a client but knows no core. It is
 * our source, compiled by the machine's C compiler against the library in the binary package of its own maintainers'
 * Python client, or else against the one that is installed. pip downloads that package from whatever index the machine
 * uses; nothing of it is installed. A program once made is used again until the source or the pinned version changes.
 */
final class Librdkafka
{
    private static final String WHEEL = "confluent-kafka-2.16.1";
    private static final String LIBRARY_PATTERN = "confluent_kafka\\.libs/librdkafka-[0-9a-f]+\\.so\\.1";
    private static final String PROGRAM = "librdkafka_client";
    private static final List<String> SOURCES =
        List.of("main.c", "client.c", "catchup.c", "live.c", "member.c", "client.h", "rdkafka_abi.h");
    private static final String BESIDE_PROGRAM = "-Wl,-rpath,$ORIGIN";
    private static final int STEP_TIMEOUT_SECONDS = 120;
    private static final int REST_BEYOND_WAIT_MS = 200;
    private static Path program;
    private static Arm.MissingException whyNot;

    private final Path root;
    private final String python;
    private final String pkgConfig;
    private final String compiler;

    /**
     * @param root folder in which programs are made and kept; the others are commands of the machine.
     */
    Librdkafka(final Path root, final String python, final String pkgConfig, final String compiler)
    {
        this.root = root;
        this.python = python;
        this.pkgConfig = pkgConfig;
        this.compiler = compiler;
    }

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
        if (settings.has("group"))
        {
            command.addAll(List.of("group.id=" + settings.text("group"), "group.protocol=consumer",
                "auto.offset.reset=earliest"));
        }
        else
        {
            // It consumes in no other way than with a name for a group; nothing is ever committed.
            command.addAll(List.of("group.id=unused", "enable.auto.commit=false"));
        }
        if (settings.has(Cluster.TRUST_PEM))
        {
            command.add("security.protocol=ssl");
            command.add("ssl.ca.location=" + settings.text(Cluster.TRUST_PEM));
        }
        if (settings.has("records"))
        {
            // Its defaults stop fetching for a second once 100,000 records wait, which it reads in a twentieth of that.
            command.add("queued.min.messages=1000000");
            command.add("fetch.queue.backoff.ms=1");
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
            for (final String source : SOURCES)
            {
                try (InputStream bytes = Librdkafka.class.getResourceAsStream(source))
                {
                    Files.copy(bytes, folder.resolve(source));
                }
            }
            final List<String> linkArguments = linkArguments(folder);
            final List<String> command =
                new ArrayList<>(List.of(compiler, "-O2", "-std=c11", "-pthread", "-o", PROGRAM));
            SOURCES.stream().filter(source -> source.endsWith(".c")).forEach(command::add);
            command.addAll(linkArguments);
            runStep(folder, "compiler", command);
            // One made against what is installed must not stand in the place of the pinned version.
            final boolean isFetched = linkArguments.contains(BESIDE_PROGRAM);
            return moved(folder, isFetched ? fetched : root.resolve("installed-" + sourceHash())).resolve(PROGRAM);
        }
        finally
        {
            delete(folder);
        }
    }

    private static Path moved(final Path folder, final Path to) throws IOException
    {
        try
        {
            return Files.move(folder, to, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final FileSystemException ex)
        {
            if (isMade(to))
            {
                return to; // by another run, a moment ago
            }
            throw ex;
        }
    }

    private static void delete(final Path folder) throws IOException
    {
        if (Files.exists(folder))
        {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder))
            {
                for (final Path file : files)
                {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
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
    private String fetchLibrary(final Path folder) throws IOException
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
        try (DirectoryStream<Path> wheels = Files.newDirectoryStream(folder, "*.whl"))
        {
            for (final Path wheel : wheels)
            {
                return extract(wheel, folder);
            }
        }
        throw new Arm.MissingException("pip left no package behind");
    }

    private static String extract(final Path wheel, final Path folder) throws IOException
    {
        try (ZipFile zip = new ZipFile(wheel.toFile()))
        {
            final Enumeration<? extends ZipEntry> entries = zip.entries();
            while (entries.hasMoreElements())
            {
                final ZipEntry entry = entries.nextElement();
                if (entry.getName().matches(LIBRARY_PATTERN))
                {
                    final String name = Path.of(entry.getName()).getFileName().toString();
                    try (InputStream bytes = zip.getInputStream(entry))
                    {
                        Files.copy(bytes, folder.resolve(name));
                    }
                    return name;
                }
            }
        }
        throw new Arm.MissingException(WHEEL + " holds no librdkafka");
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
                process.destroyForcibly();
                throw new Arm.MissingException(name + " did not end within " + STEP_TIMEOUT_SECONDS + " s");
            }
        }
        catch (final InterruptedException ex)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new Arm.MissingException(name + " was interrupted");
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
            try (InputStream bytes = Librdkafka.class.getResourceAsStream(source))
            {
                crc32.update(bytes.readAllBytes());
            }
        }
        return Long.toHexString(crc32.getValue());
    }

    /** Classes and jar are in the module's build folder; elsewhere the program is made among temporary files. */
    private static Path buildFolder()
    {
        try
        {
            final Path place =
                Path.of(Librdkafka.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return place.getParent().endsWith("target") ?
                place.getParent() :
                Path.of(System.getProperty("java.io.tmpdir"), "odradek-" + System.getProperty("user.name"));
        }
        catch (final URISyntaxException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
