/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.chaos;

import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.TcpProxy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Three brokers, each with a proxy before the listener that our consumer comes to.
 */
final class ChaosCluster implements AutoCloseable
{
    static final int BROKER_COUNT = 3;
    static final long LIMIT_MS = 180_000;

    private final List<TcpProxy> proxies = new ArrayList<>();
    private final BrokerCluster brokers;

    ChaosCluster()
    {
        final List<BrokerSettings> settings = new ArrayList<>();
        for (int i = 0; i < BROKER_COUNT; i++)
        {
            final TcpProxy proxy = TcpProxy.listen();
            proxies.add(proxy);
            settings.add(proxy.inFrontOf(new BrokerSettings())
                // Retention acts within a second, also soon after a broker's start.
                .set("log.retention.check.interval.ms", "500")
                .set("log.initial.task.delay.ms", "500"));
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

    /** The proxy before a broker, whose id counts from 1. */
    TcpProxy proxy(final int brokerId)
    {
        return proxies.get(brokerId - 1);
    }

    /** Where our consumer begins. */
    String proxiedServers()
    {
        return proxies.stream().map(TcpProxy::address).collect(Collectors.joining(","));
    }

    /** Where everybody else begins. */
    String directServers()
    {
        return brokers.bootstrapServers();
    }

    /** Takes all faults away: brokers run, replicas are in sync, proxies pass everything on. */
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
            Await.until("all replicas of " + topic + "-" + partition + " in sync", LIMIT_MS, () -> brokers.client()
                .partition(topic, partition).isr().size() == BROKER_COUNT);
        }
    }

    @Override
    public void close()
    {
        brokers.close();
        proxies.forEach(TcpProxy::close);
    }
}
