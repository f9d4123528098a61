// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.Admin;
import org.odradek.testkit.internal.CleanUp;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JvmExit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Kafka broker in its own JVM. That JVM has the class path of this JVM, unless the settings name another class path.
 * The broker ends when this JVM ends, even if this JVM is killed.
 */
public final class BrokerProcess implements Brokers
{
    private static final String[] JVM_FLAGS = {"-Xms64m", "-Xmx256m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"};
    private static final long START_TIMEOUT_MS = 180_000;
    private static final long STOP_TIMEOUT_MS = 20_000;
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final int TAIL_LINES = 60;

    private final BrokerHome home;
    private final TopicClient client;
    private final Runnable atExit = this::close;
    private JavaProcess process;
    private boolean isClosed;

    BrokerProcess(final BrokerHome home)
    {
        this.home = home;
        client = new TopicClient(bootstrapServers());
        JvmExit.add(atExit);
    }

    /**
     * Starts a broker with the default settings, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker does not start; the message contains its last output.
     */
    public static BrokerProcess start()
    {
        return start(new BrokerSettings());
    }

    /**
     * Starts a broker with properties that override the defaults, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker does not start; the message contains its last output.
     */
    public static BrokerProcess start(final Map<String, String> overrides)
    {
        return start(new BrokerSettings().set(overrides));
    }

    /**
     * Starts a broker with these settings, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker does not start; the message contains its last output.
     */
    public static BrokerProcess start(final BrokerSettings settings)
    {
        final BrokerProcess broker = new BrokerProcess(BrokerHome.ofOne(settings));
        try
        {
            broker.restart();
            return broker;
        }
        catch (final RuntimeException ex)
        {
            broker.close();
            throw ex;
        }
    }

    @Override
    public String bootstrapServers()
    {
        return home.address();
    }

    /**
     * Returns the port of a secure listener.
     *
     * @throws IllegalStateException if the broker has no secure listeners ({@link BrokerSettings#secured()}).
     */
    public int port(final SecureListener listener)
    {
        return home.port(listener);
    }

    /**
     * Returns the host and port of a secure listener, as host:port.
     *
     * @throws IllegalStateException if the broker has no secure listeners ({@link BrokerSettings#secured()}).
     */
    public String bootstrapServers(final SecureListener listener)
    {
        return home.address(listener);
    }

    /**
     * Returns the certificates and users for clients of the secure listeners, which can be used until the broker is
     * closed.
     *
     * @throws IllegalStateException if the broker has no secure listeners ({@link BrokerSettings#secured()}).
     */
    public BrokerSecurity security()
    {
        return home.security();
    }

    @Override
    public TopicClient client()
    {
        return client;
    }

    /** Returns the node id of the broker, 1 or more. */
    public int id()
    {
        return home.nodeId();
    }

    /** Returns the port of the listener PLAINTEXT. A restart does not change the port. */
    public int port()
    {
        return home.port();
    }

    /**
     * Returns the port on which the broker's outside listener listens.
     *
     * @throws IllegalStateException if the broker has no outside listener ({@link BrokerSettings#outside}).
     */
    public int outsidePort()
    {
        return home.outsidePort();
    }

    /** Returns the id of the broker's process, or -1 while the broker does not run. */
    public synchronized long pid()
    {
        return isRunning() ? process.pid() : -1;
    }

    /** Returns true while the process of the broker runs. */
    public synchronized boolean isRunning()
    {
        return process != null && process.isAlive();
    }

    /**
     * Returns the file with the output of the broker. {@link #close()} removes the file, unless the system property
     * {@code odradek.testkit.logs} names a folder: then the file is in that folder and stays there.
     */
    public Path outputFile()
    {
        return home.outputFile();
    }

    Path folder()
    {
        return home.folder();
    }

    /** Kills the broker (SIGKILL) if it runs, waits for its end and keeps its data. */
    public synchronized void kill()
    {
        if (process != null)
        {
            process.kill();
            process.close();
            process = null;
        }
    }

    /**
     * Stops the broker cleanly (SIGTERM) if it runs, waits for its end and keeps its data. The method kills a broker
     * that still runs after 20 seconds.
     */
    public synchronized void stop()
    {
        if (process != null)
        {
            process.terminate();
            final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_TIMEOUT_MS);
            Await.until("the end of broker " + id(), STOP_TIMEOUT_MS * 2,
                () -> !process.isAlive() || deadlineNs - System.nanoTime() < 0);
            kill();
        }
    }

    /**
     * Stops the broker if it runs, starts it on the same port with the same data, and returns when the cluster lists it
     * as alive.
     *
     * @throws IllegalStateException if the broker is closed or does not start.
     */
    public void restart()
    {
        stop();
        launch();
        awaitReady();
    }

    synchronized void launch()
    {
        if (isClosed)
        {
            throw new IllegalStateException("This broker is closed and its data is gone.");
        }
        process = home.program("kafka.Kafka", JVM_FLAGS)
            .flags(home.settings().isSecured() ?
                home.security().jvmFlags().toArray(new String[0]) : new String[0])
            .args(home.propertiesFile().toString())
            .outputTo(home.outputFile())
            .killedAtExit()
            .start();
    }

    void awaitReady()
    {
        try (TopicClient asking = new TopicClient(bootstrapServers()))
        {
            Await.until("broker " + id() + " to listen", START_TIMEOUT_MS, this::isListeningOrEnded);
            if (isRunning())
            {
                Await.until("broker " + id() + " to join its cluster", START_TIMEOUT_MS,
                    () -> isListedOrEnded(asking.admin()));
            }
        }
        catch (final RuntimeException ex)
        {
            throw new IllegalStateException(ex.getMessage() + " Its last output:\n" + outputTail(), ex);
        }
        if (!isRunning())
        {
            throw new IllegalStateException("Broker " + id() + " ended at its start. Its last output:\n" +
                outputTail());
        }
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            CleanUp.run(client::close, this::kill, home::delete, () -> JvmExit.remove(atExit));
        }
    }

    private boolean isListeningOrEnded()
    {
        if (!isRunning())
        {
            return true;
        }
        try (Socket socket = new Socket())
        {
            socket.connect(new InetSocketAddress(home.settings().host(), home.port()), CONNECT_TIMEOUT_MS);
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private boolean isListedOrEnded(final Admin admin)
    {
        return !isRunning() ||
            TopicClient.answer(admin.describeCluster().nodes()).stream().anyMatch((node) -> node.id() == id());
    }

    private String outputTail()
    {
        try
        {
            // The output may be in another charset than UTF-8, so malformed bytes must not cause an exception.
            final List<String> lines =
                new String(Files.readAllBytes(home.outputFile()), StandardCharsets.UTF_8).lines().toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        }
        catch (final IOException ex)
        {
            return "(it cannot be read: " + ex + ")";
        }
    }
}
