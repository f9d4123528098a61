// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.broker;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.client.files.WrittenFile;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;
import org.odradek.tools.CommandOptions;
import org.odradek.tools.StopSignal;
import org.odradek.tools.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The command {@code odradek broker}, which runs a broker in the foreground, writes small records into a topic, and
 * writes the properties with which clients connect.
 */
@Command(name = "broker", sortOptions = false,
    description = "Start a Kafka broker, write small records into a topic, and write the properties of its clients.",
    footer = {"", "Ctrl-C ends the broker and removes its data."})
public final class BrokerCommand implements Callable<Integer>
{
    private static final String FIRST_LINE = "# written by odradek broker";
    private static final String MECHANISM = "SCRAM-SHA-512";
    private static final int SENSORS = 100;
    private static final int FIRST_RECORDS = 100;
    private static final double NS_PER_SECOND = 1e9;
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    @Mixin
    private CommandOptions options;

    @Option(names = "--topic", paramLabel = "TOPIC", defaultValue = "demo",
        description = "The topic to create (default: ${DEFAULT-VALUE}).")
    private String topic;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "4",
        description = "The number of its partitions (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "1000",
        description = "Records per second to write into it after the first hundred (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--secured", description = "Let clients connect with TLS and SASL (" + MECHANISM + ").")
    private boolean isSecured;

    @Option(names = "--config", paramLabel = "FILE", defaultValue = "client.properties",
        description = "Write the properties of a client there (default: ${DEFAULT-VALUE}).")
    private Path config;

    @Override
    public Integer call()
    {
        options.checkRange("--partitions", partitions, 1, 1_000);
        options.checkRange("--rate", rate, 0, 100_000);
        options.check(!Files.exists(config) || isWrittenByThisCommand(config),
            "--config " + config + " exists, and this command has not written it: name another file.");
        final PrintWriter out = options.out();
        out.println("A Kafka broker starts…");
        out.flush();
        try (StopSignal signal = new StopSignal())
        {
            final Thread command = Thread.currentThread();
            signal.onStop(() -> LockSupport.unpark(command));
            serve(signal, out);
            // After a close of the signal the JVM may exit at any time.
            out.println("The broker has ended.");
            out.flush();
        }
        return 0;
    }

    private void serve(final StopSignal signal, final PrintWriter out)
    {
        final BrokerSettings settings = new BrokerSettings();
        try (EmbeddedBroker broker = EmbeddedBroker.start(isSecured ? settings.secured() : settings))
        {
            broker.createTopic(topic, partitions);
            final String servers =
                isSecured ? broker.bootstrapServers(SecureListener.SASL_SSL) : broker.bootstrapServers();
            writeConfig(broker, servers);
            write(broker, signal, () -> describe(out, servers));
        }
    }

    private static boolean isWrittenByThisCommand(final Path file)
    {
        try
        {
            return Files.isRegularFile(file) &&
                Files.readString(file, StandardCharsets.ISO_8859_1).startsWith(FIRST_LINE);
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException("--config " + file + " cannot be read: " + ex, ex);
        }
    }

    /** With passwords in it, only its owner may read the file. One of an earlier run would keep its permissions. */
    private void writeConfig(final EmbeddedBroker broker, final String servers)
    {
        final Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", servers);
        if (isSecured)
        {
            properties.putAll(broker.security().clientProperties(SecureListener.SASL_SSL, MECHANISM));
        }
        try
        {
            Files.deleteIfExists(config);
            try (Writer writer = Channels.newWriter(
                WrittenFile.create(config, isSecured ? WrittenFile.OWNER_ONLY : WrittenFile.ALL_MAY_READ),
                StandardCharsets.UTF_8))
            {
                writer.write(FIRST_LINE + "\n");
                properties.store(writer, null);
            }
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException("--config " + config + " cannot be written: " + ex, ex);
        }
    }

    private void describe(final PrintWriter out, final String servers)
    {
        final String reading = topic + " --config " + config;
        out.println("It listens at " + servers + (isSecured ? " with TLS and " + MECHANISM : "") + ". Topic " + topic +
            " has " + Table.counted(partitions, "partition") + " and gets " + rate +
            " records per second. Ctrl-C ends it.");
        out.println("The properties of its clients are in " + config + ". In another terminal:");
        out.println();
        out.println("  ./odradek tail " + reading + " --from -3 --until latest --format '%p %o %k %s\\n'");
        out.println("  ./odradek perf " + reading + " --messages 10000");
        out.println("  ./odradek tail " + reading + " --group readers --count 10");
        out.println();
        out.flush();
    }

    /** @param onFirst runs when the first records can be read. */
    private void write(final EmbeddedBroker broker, final StopSignal signal, final Runnable onFirst)
    {
        final Producer<byte[], byte[]> producer = broker.producer(0, "1");
        try
        {
            long written = 0;
            for (; written < FIRST_RECORDS; written++)
            {
                producer.send(record(written));
            }
            producer.flush();
            onFirst.run();
            final long startNs = System.nanoTime();
            while (!signal.isStopped())
            {
                final long due = FIRST_RECORDS + (long)((System.nanoTime() - startNs) * (rate / NS_PER_SECOND));
                for (; written < due && !signal.isStopped(); written++)
                {
                    producer.send(record(written));
                }
                LockSupport.parkNanos(rate == 0 ? Long.MAX_VALUE : TICK_NS);
            }
        }
        finally
        {
            producer.close(CLOSE_TIMEOUT);
        }
    }

    private ProducerRecord<byte[], byte[]> record(final long number)
    {
        return new ProducerRecord<>(topic, (int)(number % partitions),
            ("sensor-" + number % SENSORS).getBytes(StandardCharsets.US_ASCII),
            ("temperature " + (15 + number % 17)).getBytes(StandardCharsets.US_ASCII));
    }
}
