// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.Admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A Kafka broker in a JVM of its own, with the class path of this one. It can be killed as no embedded broker can, and
 * it takes no CPU, heap or threads of the JVM that is measured. It ends with this JVM, however that ends.
 */
public final class BrokerProcess implements Brokers
{
    private static final String[] JVM_FLAGS =
        {"-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"};
    private static final long START_TIMEOUT_MS = 180_000;
    private static final long STOP_TIMEOUT_MS = 20_000;
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final int TAIL_LINES = 60;

    private final BrokerHome home;
    private final TopicClient client;
    private final Runnable atExit = this::close;
    private JavaProcess process;
    private boolean isClosed;

    /** Takes over the home; nothing runs yet. */
    BrokerProcess(final BrokerHome home)
    {
        this.home = home;
        client = new TopicClient(bootstrapServers());
        AtExit.add(atExit);
    }

    /**
     * @return a running broker.
     */
    public static BrokerProcess start()
    {
        return start(new BrokerSettings());
    }

    /**
     * @param overrides broker properties that replace the defaults.
     * @return a running broker.
     */
    public static BrokerProcess start(final Map<String, String> overrides)
    {
        return start(new BrokerSettings().set(overrides));
    }

    /**
     * @param settings of the broker and its JVM.
     * @return a running broker.
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
        return BrokerHome.HOST + ":" + home.port();
    }

    @Override
    public TopicClient client()
    {
        return client;
    }

    /**
     * @return the broker's node id.
     */
    public int id()
    {
        return home.nodeId();
    }

    /**
     * @return port of the ordinary listener; stays the same over restarts.
     */
    public int port()
    {
        return home.port();
    }

    /**
     * @return port on which the listener of {@link BrokerSettings#outside(String, int)} listens.
     */
    public int outsidePort()
    {
        return home.outsidePort();
    }

    /**
     * @return the operating system's id of the process, -1 while none runs.
     */
    public synchronized long pid()
    {
        return isRunning() ? process.pid() : -1;
    }

    /**
     * @return whether the process runs now.
     */
    public synchronized boolean isRunning()
    {
        return process != null && process.isAlive();
    }

    /**
     * @return the file that holds everything the broker has said; removed on close.
     */
    public Path outputFile()
    {
        return home.outputFile();
    }

    /**
     * Ends the broker at once (SIGKILL): its log is left as it is, its clients get a reset.
     */
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
     * Ends the broker in good order (SIGTERM) and keeps its data; kills it if that takes more than 20 seconds.
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
     * Stops the broker if it runs, starts it on the same port with the same data, and returns when its cluster lists
     * it.
     */
    public void restart()
    {
        stop();
        launch();
        awaitReady();
    }

    /**
     * Starts the process and does not wait.
     */
    synchronized void launch()
    {
        if (isClosed)
        {
            throw new IllegalStateException("This broker is closed and its data is gone.");
        }
        process = JavaProcess.of("kafka.Kafka")
            .flags(JVM_FLAGS)
            .flags(home.settings().jvmFlags().toArray(new String[0]))
            .args(home.propertiesFile().toString())
            .outputTo(home.outputFile())
            .killedAtExit()
            .start();
    }

    /**
     * Waits until the cluster lists this broker as alive.
     */
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
            client.close();
            kill();
            home.delete();
            AtExit.remove(atExit);
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
            socket.connect(new InetSocketAddress(BrokerHome.HOST, home.port()), CONNECT_TIMEOUT_MS);
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
            final List<String> lines = Files.readAllLines(home.outputFile(), StandardCharsets.UTF_8);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
