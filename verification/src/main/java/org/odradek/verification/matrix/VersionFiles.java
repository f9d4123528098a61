// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.agrona.IoUtil;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.internal.JavaProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What the brokers of a cluster need whose version is not that of this class path: the jars of that version, flags of
 * the JVM, and a ZooKeeper if they are no controllers themselves.
 */
public final class VersionFiles implements AutoCloseable
{
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    /** Packages that old versions access. {@link JavaProcess} adds those that Odradek needs. */
    private static final String[] FLAGS = {"-Xmx512m", "-XX:+UseSerialGC",
        "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.nio=ALL-UNNAMED",
        "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens", "java.base/java.util=ALL-UNNAMED"};
    private static final String LOG4J = """
        log4j.rootLogger=WARN, out
        log4j.appender.out=org.apache.log4j.ConsoleAppender
        log4j.appender.out.layout=org.apache.log4j.PatternLayout
        log4j.appender.out.layout.ConversionPattern=%d %p %c: %m%n
        """;

    private final KafkaVersion version;
    private final String classPath;
    private final Path folder;
    private final String[] flags;
    private final ZooKeeper zooKeeper;

    /**
     * Resolves the jars, and starts a ZooKeeper if the version needs one.
     *
     * @param text such as 2.8.2.
     * @throws IllegalArgumentException if it is no version.
     */
    public VersionFiles(final String text)
    {
        version = KafkaVersion.of(text);
        try
        {
            classPath = BrokerClassPath.resolve(
                version, folder(Path.of(System.getProperty("odradek.home", "."))));
            folder = Files.createTempDirectory("odradek-version-");
            flags = flags(folder);
            zooKeeper = version.hasZooKeeper() ?
                new ZooKeeper(classPath, folder.resolve("zookeeper"), flags) : null;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Maven resolves Kafka " + text + ".", ex);
        }
    }

    /** Where class paths are kept. */
    static Path folder(final Path home)
    {
        return home.resolve("target").resolve("odradek").resolve("matrix");
    }

    /** Returns the flags of a JVM that runs any version, and writes the file to which one of them points. */
    static String[] flags(final Path folder) throws IOException
    {
        final String[] flags = Arrays.copyOf(FLAGS, FLAGS.length + 1);
        flags[FLAGS.length] =
            "-Dlog4j.configuration=file:" + Files.writeString(folder.resolve("log4j.properties"), LOG4J);
        return flags;
    }

    static void awaitListening(final String name, final JavaProcess process, final int port)
    {
        Await.until(name + " to listen", VersionedBroker.START_LIMIT_MS,
            () -> !process.isAlive() || isListening(port));
        if (!process.isAlive())
        {
            throw new IllegalStateException(name + " ended at its start: " + process.outputTail());
        }
    }

    private static boolean isListening(final int port)
    {
        try (Socket socket = new Socket())
        {
            socket.connect(new InetSocketAddress(VersionedBroker.HOST, port), CONNECT_TIMEOUT_MS);
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /** Lets a broker have this version. */
    public BrokerSettings apply(final BrokerSettings settings)
    {
        settings.classPath(classPath).jvmFlags(flags);
        return zooKeeper == null ? settings : settings.zooKeeper(zooKeeper.address());
    }

    @Override
    public void close()
    {
        if (zooKeeper != null)
        {
            zooKeeper.close();
        }
        IoUtil.delete(folder.toFile(), true);
    }
}
