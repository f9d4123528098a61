// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;

import org.apache.kafka.common.utils.Time;

import java.nio.file.Path;
import java.util.Map;

/**
 * A Kafka broker inside this JVM: its own controller, free loopback ports, small footprint, data in a temporary folder
 * that is removed on close. It starts in 3 to 4 seconds the first time and faster after that.
 * <pre>{@code
 * try (EmbeddedBroker broker = EmbeddedBroker.start())
 * {
 *     broker.createTopic("metrics", 8);
 *     broker.produce("metrics", 0, 1_000_000, (i) -> value);
 *     read(broker.bootstrapServers());
 * }
 * }</pre>
 * Topics are never created by asking for them. A broker that is not closed goes when all other work of the JVM is done.
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
        AtExit.add(atExit);
        ExitWatch.add(this);
    }

    /**
     * @return a running broker.
     */
    public static EmbeddedBroker start()
    {
        return start(new BrokerSettings());
    }

    /**
     * @param overrides broker properties that replace the defaults.
     * @return a running broker.
     */
    public static EmbeddedBroker start(final Map<String, String> overrides)
    {
        return start(new BrokerSettings().set(overrides));
    }

    /**
     * @param settings of the broker.
     * @return a running broker.
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
        return BrokerHome.HOST + ":" + home.port();
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

    @Override
    public TopicClient client()
    {
        return client;
    }

    /**
     * @return the folder of the broker's data and properties; removed on close.
     */
    public Path dataFolder()
    {
        return home.folder();
    }

    /**
     * @return whether the broker runs now.
     */
    public synchronized boolean isRunning()
    {
        return server != null;
    }

    /**
     * Stops the broker in good order and keeps its data.
     */
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
     * Stops the broker if it runs, and starts it on the same port with the same data.
     */
    public synchronized void restart()
    {
        if (isClosed)
        {
            throw new IllegalStateException("This broker is closed and its data is gone.");
        }
        stop();
        server = new KafkaRaftServer(KafkaConfig.fromProps(home.properties(), false), Time.SYSTEM);
        ExitWatch.runInBrokerGroup(server::startup);
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            client.close();
            stop();
            home.delete();
            ExitWatch.remove(this);
            // Last: with its broker gone the JVM may be on its way out, and must find here what to wait for.
            AtExit.remove(atExit);
        }
    }
}
