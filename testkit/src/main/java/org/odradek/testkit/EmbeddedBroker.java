// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.odradek.testkit.internal.CleanUp;
import org.odradek.testkit.internal.JvmExit;

import java.nio.file.Path;
import java.util.Map;

/**
 * A small Kafka broker inside this JVM. The broker is also the only controller of its cluster. It uses free ports and a
 * temporary folder.
 * <pre>{@code
 * try (EmbeddedBroker broker = EmbeddedBroker.start())
 * {
 *     broker.createTopic("metrics", 8);
 *     broker.produce("metrics", 0, 1_000_000, (i) -> value);
 *     read(broker.bootstrapServers());
 * }
 * }</pre>
 * By default the broker does not create topics automatically. A broker that is not closed ends when only daemon threads
 * and threads of embedded brokers are left in the JVM.
 */
public final class EmbeddedBroker implements Brokers
{
    private final BrokerHome home;
    private final TopicClient client;
    private final Runnable atExit = this::close;
    private KafkaRaftServer server;
    private boolean isClosed;

    private EmbeddedBroker(final BrokerSettings settings)
    {
        home = BrokerHome.ofOne(settings);
        client = new TopicClient(bootstrapServers());
        JvmExit.add(atExit);
        JvmExit.addBroker(atExit);
    }

    /**
     * Starts a broker with the default settings, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker does not start.
     */
    public static EmbeddedBroker start()
    {
        return start(new BrokerSettings());
    }

    /**
     * Starts a broker with properties that override the defaults, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker does not start.
     */
    public static EmbeddedBroker start(final Map<String, String> overrides)
    {
        return start(new BrokerSettings().set(overrides));
    }

    /**
     * Starts a broker with these settings, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker does not start.
     */
    public static EmbeddedBroker start(final BrokerSettings settings)
    {
        final EmbeddedBroker broker = new EmbeddedBroker(settings);
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

    /** Returns the folder with the broker's data and properties. {@link #close()} removes the folder. */
    public Path dataFolder()
    {
        return home.folder();
    }

    /** Returns true while the broker runs. */
    public synchronized boolean isRunning()
    {
        return server != null;
    }

    /** Stops the broker cleanly if it runs, waits for its end and keeps its data. */
    public synchronized void stop()
    {
        if (server != null)
        {
            server.shutdown();
            server.awaitShutdown();
            server = null;
        }
    }

    /**
     * Stops the broker if it runs, starts it on the same port with the same data, and returns when it accepts requests.
     *
     * @throws IllegalStateException if the broker is closed or does not start.
     */
    public synchronized void restart()
    {
        if (isClosed)
        {
            throw new IllegalStateException("This broker is closed and its data is gone.");
        }
        stop();
        if (home.settings().isSecured())
        {
            home.security().prepareThisJvm();
        }
        server = new KafkaRaftServer(KafkaConfig.fromProps(home.properties(), false), Time.SYSTEM);
        JvmExit.runInBrokerGroup(server::startup);
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            // An interrupt would end the clean-up halfway.
            final boolean isInterrupted = Thread.interrupted();
            try
            {
                CleanUp.run(client::close, this::stop, home::delete);
            }
            finally
            {
                JvmExit.removeBroker(atExit);
                // Removed last: a JVM that exits because this broker has ended must still wait for this method.
                JvmExit.remove(atExit);
                if (isInterrupted)
                {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
