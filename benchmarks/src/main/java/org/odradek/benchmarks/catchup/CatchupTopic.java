/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.TopicConfig;
import org.odradek.testkit.TopicClient;

import java.util.Map;
import java.util.UUID;

/**
 * A topic that exists for one case and is deleted after it.
 */
final class CatchupTopic implements AutoCloseable
{
    private final Thread atExit = new Thread(this::delete, "catchup-delete-topic");
    private final boolean isInGivenCluster;
    private final TopicClient client;
    private final String name;
    private boolean isDeleted;

    /**
     * @param isInGivenCluster the topic must go even when the run is broken off; a broker of our own takes it along.
     */
    CatchupTopic(final String bootstrap, final CatchupCase catchupCase, final boolean isInGivenCluster)
    {
        this.isInGivenCluster = isInGivenCluster;
        name = "odradek-catchup-" + catchupCase.valueLength() + "-" + UUID.randomUUID();
        client = new TopicClient(bootstrap);
        client.createTopic(name, catchupCase.partitions(),
            Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1", TopicConfig.RETENTION_BYTES_CONFIG, "-1"));
        if (isInGivenCluster)
        {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
    }

    String name()
    {
        return name;
    }

    /**
     * @return HOST:PORT of the leader of partition 0.
     */
    String leader()
    {
        final Node leader = client.partition(name, 0).leader();
        return leader.host() + ":" + leader.port();
    }

    @Override
    public void close()
    {
        delete();
        if (isInGivenCluster)
        {
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
    }

    private synchronized void delete()
    {
        if (!isDeleted)
        {
            isDeleted = true;
            try
            {
                client.deleteTopic(name);
            }
            finally
            {
                client.close();
            }
        }
    }
}
