// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JavaProcessBuilder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A running broker of any version, with a ZooKeeper if it needs one, each in its own process.
 */
final class VersionedBroker implements AutoCloseable
{
    static final String HOST = "127.0.0.1";
    static final long START_LIMIT_MS = 120_000;
    private final KafkaVersion version;
    private final String classPath;
    private final String[] flags;
    private final Path folder;
    private final int port;
    private final int securePort;
    private final BrokerSecurity security = new BrokerSecurity();
    private JavaProcess process;
    private ZooKeeper zooKeeper;

    VersionedBroker(final KafkaVersion version, final String classPath) throws IOException
    {
        this.version = version;
        this.classPath = classPath;
        folder = Files.createTempDirectory("odradek-matrix-");
        flags = VersionFiles.flags(folder);
        port = freePort();
        securePort = freePort();
        try
        {
            if (version.hasZooKeeper())
            {
                startWithZooKeeper();
            }
            else
            {
                startAlone();
            }
        }
        catch (final RuntimeException | IOException ex)
        {
            close();
            throw ex;
        }
    }

    String bootstrapServers()
    {
        return HOST + ":" + port;
    }

    /** What connects our consumer to the listener with TLS and SASL. */
    Map<String, String> secureProperties()
    {
        final Map<String, String> properties =
            security.clientProperties(SecureListener.SASL_SSL, version.mechanism());
        properties.put("bootstrap.servers", HOST + ":" + securePort);
        return properties;
    }

    /** The listeners for clients. A version that has no secure listener has one. */
    private String listeners()
    {
        return "PLAINTEXT://" + bootstrapServers() +
            (version.hasSecureListener() ? ",SECURE://" + HOST + ":" + securePort : "");
    }

    private void secure(final Properties broker)
    {
        if (!version.hasSecureListener())
        {
            return;
        }
        final String prefix = "listener.name.secure.";
        final String mechanism = prefix + version.mechanism().toLowerCase(Locale.ROOT);
        broker.setProperty(prefix + "ssl.keystore.location", security.keyStore(SecureListener.SSL).toString());
        broker.setProperty(prefix + "ssl.keystore.type", "PKCS12");
        broker.setProperty(prefix + "ssl.keystore.password", BrokerSecurity.STORE_PASSWORD);
        broker.setProperty(prefix + "ssl.key.password", BrokerSecurity.STORE_PASSWORD);
        broker.setProperty("sasl.enabled.mechanisms", version.mechanism());
        broker.setProperty(mechanism + ".sasl.jaas.config", "PLAIN".equals(version.mechanism()) ?
            "org.apache.kafka.common.security.plain.PlainLoginModule required user_" + BrokerSecurity.USER + "=\"" +
                BrokerSecurity.PASSWORD + "\";" :
            "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    }

    /** Runs the writer of this version and waits for its end. */
    void write(final String what, final List<SmokeTopic> topics)
    {
        try (JavaProcess writer = builder(SmokeWriter.class.getName())
            .args(bootstrapServers(), what)
            .args(topics.stream().map(SmokeTopic::name).toArray(String[]::new)).start())
        {
            if (writer.exitCode(START_LIMIT_MS, TimeUnit.MILLISECONDS) != 0)
            {
                throw new IllegalStateException("The writer failed: " + writer.outputTail());
            }
        }
    }

    /**
     * @return the magic of the first batch or message in the log of a topic: its seventeenth byte in every format.
     */
    int storedMagic(final String topic) throws IOException
    {
        final byte[] segment =
            Files.readAllBytes(folder.resolve("data").resolve(topic + "-0").resolve("00000000000000000000.log"));
        return segment[16];
    }

    private void startWithZooKeeper() throws IOException
    {
        zooKeeper = new ZooKeeper(classPath, folder.resolve("zookeeper"), flags);
        final Properties broker = properties();
        broker.setProperty("broker.id", "1");
        broker.setProperty("zookeeper.connect", zooKeeper.address());
        broker.setProperty("zookeeper.connection.timeout.ms", "60000");
        broker.setProperty("listeners", listeners());
        broker.setProperty("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL");
        secure(broker);
        start(store("server", broker));
    }

    private void startAlone() throws IOException
    {
        final int controllerPort = freePort();
        final Properties broker = properties();
        broker.setProperty("process.roles", "broker,controller");
        broker.setProperty("node.id", "1");
        broker.setProperty("controller.quorum.voters", "1@" + HOST + ":" + controllerPort);
        broker.setProperty("controller.listener.names", "CONTROLLER");
        broker.setProperty("listeners", listeners() + ",CONTROLLER://" + HOST + ":" + controllerPort);
        broker.setProperty("advertised.listeners", listeners());
        broker.setProperty(
            "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL");
        secure(broker);
        final Path file = store("server", broker);
        final byte[] id = new byte[16];
        ThreadLocalRandom.current().nextBytes(id);
        id[0] &= 0x3f; // an id must not begin with a dash
        final String clusterId = Base64.getUrlEncoder().withoutPadding().encodeToString(id);
        try (JavaProcess format = builder("kafka.tools.StorageTool")
            .args("format", "-t", clusterId, "-c", file.toString())
            .args("PLAIN".equals(version.mechanism()) ? new String[0] :
                security.formatArguments().toArray(new String[0])).start())
        {
            if (format.exitCode(START_LIMIT_MS, TimeUnit.MILLISECONDS) != 0)
            {
                throw new IllegalStateException("The data folder could not be formatted: " + format.outputTail());
            }
        }
        start(file);
    }

    private Properties properties()
    {
        final Properties properties = new Properties();
        properties.setProperty("log.dirs", folder.resolve("data").toString());
        properties.setProperty("log.retention.ms", "-1");
        properties.setProperty("offsets.topic.replication.factor", "1");
        properties.setProperty("offsets.topic.num.partitions", "1");
        properties.setProperty("transaction.state.log.replication.factor", "1");
        properties.setProperty("transaction.state.log.min.isr", "1");
        properties.setProperty("transaction.state.log.num.partitions", "1");
        properties.setProperty("log.cleaner.dedupe.buffer.size", "2097152");
        properties.setProperty("group.initial.rebalance.delay.ms", "0");
        properties.setProperty("auto.create.topics.enable", "false");
        return properties;
    }

    private Path store(final String name, final Properties properties) throws IOException
    {
        final Path file = folder.resolve(name + ".properties");
        try (Writer writer = Files.newBufferedWriter(file))
        {
            properties.store(writer, null);
        }
        return file;
    }

    private void start(final Path file)
    {
        process = builder("kafka.Kafka").args(file.toString()).start();
        VersionFiles.awaitListening("Kafka " + version, process, port);
    }

    private JavaProcessBuilder builder(final String mainClass)
    {
        return JavaProcess.of(mainClass).classPath(classPath).flags(flags);
    }

    static int freePort()
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST)))
        {
            return socket.getLocalPort();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void close()
    {
        if (process != null)
        {
            process.kill();
            process.close();
        }
        if (zooKeeper != null)
        {
            zooKeeper.close();
        }
        security.close();
        try (Stream<Path> files = Files.walk(folder))
        {
            for (final Path each : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(each);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
