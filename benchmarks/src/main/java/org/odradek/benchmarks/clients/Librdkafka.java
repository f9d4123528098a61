// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.agrona.IoUtil;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.internal.JavaProcess;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/**
 * The program that reads with librdkafka, which exchanges the lines of a client but knows no core. It is our source,
 * which {@code make.sh} beside it compiles against the library that its own maintainers publish; pip downloads that
 * from whatever index the machine uses. A program once made is used again until a source or the pinned version changes.
 *
 * @param root folder in which programs are made and kept; the others are commands of the machine.
 */
record Librdkafka(Path root, String python, String pkgConfig, String compiler)
{
    private static final String PACKAGE = "confluent-kafka==2.16.1";
    private static final String PROGRAM = "librdkafka_client";
    private static final List<String> SOURCES =
        List.of("make.sh", "main.c", "client.c", "catchup.c", "contents.c", "live.c", "member.c", "produce.c",
        "client.h", "rdkafka_abi.h");
    private static final int MAKE_TIMEOUT_SECONDS = 300;
    private static final int REST_BEYOND_WAIT_MS = 200;
    private static final FutureTask<Path> SEARCH = new FutureTask<>(() ->
        new Librdkafka(buildFolder().resolve("native"), "python3", "pkg-config", "cc").find());

    static Child start(final String name, final Settings settings, final Child.Jvm unused)
    {
        return Child.start(name, settings, command(program(), settings));
    }

    static Child startProducer(final String name, final Settings settings, final Child.Jvm unused)
    {
        return Child.start(name, settings, producerCommand(program(), settings));
    }

    /**
     * As an expert sets it for many records: its defaults send batches of 10,000 records at most. Only records that
     * failed are reported one by one. The partitioner is that of the other clients.
     */
    static List<String> producerCommand(final Path program, final Settings settings)
    {
        return List.of(program.toString(), settings.text("topic"), settings.text("partitionCount"),
            settings.text("records"), "0", "0", "bootstrap.servers=" + settings.text("bootstrap"),
            "acks=" + settings.text("acks"), "enable.idempotence=" + "all".equals(settings.text("acks")),
            "linger.ms=5", "batch.num.messages=100000", "queue.buffering.max.messages=1000000",
            "delivery.report.only.error=true", "partitioner=murmur2_random",
            "compression.codec=" + settings.text("compression"));
    }

    /** All else has the library's defaults, except what keeps it from reading a log without a pause. */
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
            "bootstrap.servers=" + settings.text("bootstrap")));
        // It has the stock client's names but for one.
        Arms.fetchProperties(settings).forEach(
            (name, value) -> command.add(name.replace("fetch.max.wait", "fetch.wait.max") + "=" + value));
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

    /** Returns the program, in the build folder of this module. It is looked for once in a run. */
    static Path program()
    {
        SEARCH.run();
        try
        {
            return SEARCH.get();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw ex.getCause() instanceof Arm.MissingException missing ? missing : new IllegalStateException(ex);
        }
    }

    Path find()
    {
        try
        {
            final Path fetched = root.resolve(PACKAGE.replace("==", "-") + "-" + sourceHash()).resolve(PROGRAM);
            return Files.isExecutable(fetched) ? fetched : make(fetched);
        }
        catch (final IOException ex)
        {
            throw new Arm.MissingException("its program could not be made: " + ex.getClass().getSimpleName());
        }
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
                Files.write(folder.resolve(source), bytes(source));
            }
            // One made against what is installed must not stand in the place of the pinned version.
            final Path made = runMake(folder).equals("fetched") ? fetched :
                root.resolve("installed-" + sourceHash()).resolve(PROGRAM);
            // Another run may have made it a moment ago.
            if (!Files.isExecutable(made))
            {
                Files.move(folder, made.getParent(), StandardCopyOption.ATOMIC_MOVE);
            }
            return made;
        }
        finally
        {
            IoUtil.delete(folder.toFile(), true);
        }
    }

    /** Returns what make.sh writes when it has made the program. */
    private String runMake(final Path folder)
    {
        try (JavaProcess process = JavaProcess.ofProgram(
            List.of("sh", folder.resolve("make.sh").toString(), PACKAGE, python, pkgConfig, compiler)).start())
        {
            if (process.exitCode(MAKE_TIMEOUT_SECONDS, TimeUnit.SECONDS) != 0)
            {
                throw new Arm.MissingException(process.outputTail());
            }
            return process.outputTail();
        }
        catch (final IllegalStateException ex)
        {
            throw new Arm.MissingException("it was not made within " + MAKE_TIMEOUT_SECONDS + " s");
        }
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
