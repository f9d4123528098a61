// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.KafkaFuture;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.TcpProxy;
import org.odradek.verification.matrix.VersionFiles;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * A cluster of three brokers, each with a proxy in front of the listener that our consumer connects to.
 */
final class ChaosCluster implements AutoCloseable
{
    static final int BROKER_COUNT = 3;
    static final long LIMIT_MS = 180_000;

    private final List<TcpProxy> proxies = new ArrayList<>();
    private final BrokerCluster brokers;
    private final BrokerSecurity security;
    private final VersionFiles version;

    /**
     * @param isSecure   whether the listeners of our consumer expect TLS and SASL.
     * @param properties of the brokers, in addition.
     * @param version    of the brokers, which the cluster closes; null for that of this class path.
     */
    ChaosCluster(final boolean isSecure, final Map<String, String> properties, final VersionFiles version)
    {
        this.version = version;
        security = isSecure ? new BrokerSecurity() : null;
        final List<BrokerSettings> settings = new ArrayList<>();
        for (int i = 0; i < BROKER_COUNT; i++)
        {
            final TcpProxy proxy = TcpProxy.listen();
            proxies.add(proxy);
            final BrokerSettings broker = new BrokerSettings();
            settings.add(proxy.inFrontOf(version == null ? broker : version.apply(broker)).secureOutside(security)
                // Makes retention act within a second, even soon after a broker has started.
                .set("log.retention.check.interval.ms", "500")
                .set("log.initial.task.delay.ms", "500")
                // On a loaded machine a live broker may be silent for longer than the testkit's defaults allow.
                .set("broker.session.timeout.ms", "5000")
                .set("controller.quorum.fetch.timeout.ms", "2500")
                .set(properties));
        }
        brokers = BrokerCluster.start(settings);
        for (int id = 1; id <= BROKER_COUNT; id++)
        {
            proxy(id).target(TcpProxy.HOST, brokers.broker(id).outsidePort());
        }
    }

    BrokerCluster brokers()
    {
        return brokers;
    }

    /** Returns the proxy of a broker; ids count from 1. */
    TcpProxy proxy(final int brokerId)
    {
        return proxies.get(brokerId - 1);
    }

    /** What lets clients of a secure cluster in. */
    BrokerSecurity security()
    {
        return security;
    }

    /** Kafka's properties of the connections of our consumer, through the proxies. */
    Map<String, String> connection()
    {
        final Map<String, String> properties = new HashMap<>();
        if (security != null)
        {
            properties.putAll(security.clientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512"));
            properties.put("ssl.truststore.type", "PEM");
            properties.put("ssl.truststore.location", security.trustPem().toString());
            properties.remove("ssl.truststore.password");
        }
        properties.put(
            "bootstrap.servers", proxies.stream().map(TcpProxy::address).collect(Collectors.joining(",")));
        return properties;
    }

    /** The bootstrap servers of all other clients. */
    String directServers()
    {
        return brokers.bootstrapServers();
    }

    /** Ends all faults: starts all brokers, waits until replicas are in sync, and makes proxies pass everything. */
    void heal(final String topic, final int partitionCount)
    {
        proxies.forEach(TcpProxy::heal);
        for (int id = 1; id <= BROKER_COUNT; id++)
        {
            if (!brokers.broker(id).isRunning())
            {
                brokers.broker(id).restart();
            }
        }
        awaitInSync(topic, partitionCount);
    }

    void awaitInSync(final String topic, final int partitionCount)
    {
        for (int p = 0; p < partitionCount; p++)
        {
            final int partition = p;
            awaitInSync(topic, partition, BROKER_COUNT);
        }
    }

    void awaitInSync(final String topic, final int partition, final int replicas)
    {
        Await.until(replicas + " replicas of " + topic + "-" + partition + " in sync", LIMIT_MS,
            () -> holds(() -> brokers.client().partition(topic, partition).isr().size() == replicas));
    }

    /** Adds partitions to a topic, and waits until the last one has a leader. */
    void growTopic(final String topic, final int partitionCount)
    {
        await(brokers.admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(partitionCount))).all());
        awaitLeader(topic, partitionCount - 1);
    }

    /** Waits until the partition has a leader, and returns its id. */
    int awaitLeader(final String topic, final int partition)
    {
        final int[] leader = new int[1];
        Await.until("a leader of " + topic + "-" + partition, LIMIT_MS,
            () -> holds(() ->
            {
                leader[0] = brokers.leaderOf(topic, partition);
                return leader[0] > 0;
            }));
        return leader[0];
    }

    /** Waits until an admin request has succeeded, and returns its result. */
    static <T> T await(final KafkaFuture<T> request)
    {
        try
        {
            return request.get(LIMIT_MS, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for the cluster.", ex);
        }
        catch (final ExecutionException | TimeoutException ex)
        {
            throw new IllegalStateException("An admin request to the cluster failed: " + ex, ex);
        }
    }

    static void pause(final long ms)
    {
        try
        {
            TimeUnit.MILLISECONDS.sleep(ms);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted during a run.", ex);
        }
    }

    /** Returns false if the broker does not know the topic or partition yet, because it has only just started. */
    static boolean holds(final BooleanSupplier condition)
    {
        try
        {
            return condition.getAsBoolean();
        }
        catch (final IllegalArgumentException ex)
        {
            return false;
        }
    }

    /** Makes all links slow, and some of them slower, until {@link #heal}. */
    String slowLinks(final Random random)
    {
        final int delayMs = 1 + random.nextInt(50);
        final int pieceLength = 1 + random.nextInt(8_000);
        for (final TcpProxy proxy : proxies)
        {
            proxy.delay(delayMs);
            proxy.pieces(random.nextBoolean() ? 0 : pieceLength);
            proxy.throttle(random.nextInt(4) == 0 ? 200_000 : 0);
        }
        return "links delayed by " + delayMs + " ms, some in pieces of " + pieceLength + " bytes";
    }

    /** Ends all connections. */
    void cut()
    {
        proxies.forEach(TcpProxy::cut);
    }

    int connectionCount()
    {
        return proxies.stream().mapToInt(TcpProxy::connectionCount).sum();
    }

    @Override
    public void close()
    {
        brokers.close();
        proxies.forEach(TcpProxy::close);
        if (version != null)
        {
            version.close();
        }
    }
}
