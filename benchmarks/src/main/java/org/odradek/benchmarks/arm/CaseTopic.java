/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.arm;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.TopicConfig;
import org.odradek.testkit.TopicClient;

import java.util.Map;
import java.util.UUID;

/**
 * A topic that exists for one case of a scenario and is deleted after it. Its records are never deleted by age or size.
 */
public final class CaseTopic implements AutoCloseable
{
    private final Thread atExit = new Thread(this::delete, "bench-delete-topic");
    private final boolean isInGivenCluster;
    private final TopicClient client;
    private final String name;
    private boolean isDeleted;

    /**
     * @param bootstrap        HOST:PORT of the cluster.
     * @param label            scenario and case, for the name of the topic.
     * @param partitions       how many.
     * @param isInGivenCluster the topic must go even when the run is broken off; a broker of our own takes it along.
     */
    public CaseTopic(
        final String bootstrap, final String label, final int partitions, final boolean isInGivenCluster)
    {
        this.isInGivenCluster = isInGivenCluster;
        name = "odradek-" + label + "-" + UUID.randomUUID();
        client = new TopicClient(bootstrap);
        client.createTopic(name, partitions,
            Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1", TopicConfig.RETENTION_BYTES_CONFIG, "-1"));
        if (isInGivenCluster)
        {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
    }

    public String name()
    {
        return name;
    }

    /**
     * @param partition of the topic.
     * @return HOST:PORT of the partition's leader.
     */
    public String leader(final int partition)
    {
        final Node leader = client.partition(name, partition).leader();
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
