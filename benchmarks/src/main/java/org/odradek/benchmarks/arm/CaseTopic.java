// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.TopicConfig;
import org.odradek.testkit.TopicClient;

import java.util.Map;
import java.util.UUID;

/**
 * A topic that exists for one case of a scenario and is deleted after it. Its records are never deleted by age, nor by
 * size unless that is asked for.
 */
public final class CaseTopic implements AutoCloseable
{
    private static final String KEEP_ALL = "-1";
    private static final int SEGMENTS = 16;
    private static final String DELETE_DELAY_MS = "1000";

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
        this(bootstrap, label, partitions, isInGivenCluster, Map.of(
            TopicConfig.RETENTION_MS_CONFIG, KEEP_ALL,
            TopicConfig.RETENTION_BYTES_CONFIG, KEEP_ALL));
    }

    private CaseTopic(
        final String bootstrap,
        final String label,
        final int partitions,
        final boolean isInGivenCluster,
        final Map<String, String> configs)
    {
        this.isInGivenCluster = isInGivenCluster;
        name = "odradek-" + label + "-" + UUID.randomUUID();
        client = new TopicClient(bootstrap);
        client.createTopic(name, partitions, configs);
        if (isInGivenCluster)
        {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
    }

    /**
     * A topic that keeps the end of each log only, for scenarios that write more than a disk may hold.
     *
     * @param keptBytes of each partition's log, at least; how soon the rest goes, the broker's settings say.
     * @return the topic; the other parameters are those of the constructor.
     */
    public static CaseTopic keeping(
        final int keptBytes,
        final String bootstrap,
        final String label,
        final int partitions,
        final boolean isInGivenCluster)
    {
        return new CaseTopic(bootstrap, label, partitions, isInGivenCluster, Map.of(
            TopicConfig.RETENTION_MS_CONFIG, KEEP_ALL,
            TopicConfig.RETENTION_BYTES_CONFIG, String.valueOf(keptBytes),
            TopicConfig.SEGMENT_BYTES_CONFIG, String.valueOf(keptBytes / SEGMENTS),
            TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, DELETE_DELAY_MS));
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
