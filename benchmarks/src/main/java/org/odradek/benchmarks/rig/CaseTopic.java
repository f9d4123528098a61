// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.apache.kafka.common.config.TopicConfig;
import org.odradek.testkit.TopicClient;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Topics that exist for one case of a scenario and are deleted after it. In a given cluster they are deleted even if
 * the run is broken off.
 */
public final class CaseTopic implements AutoCloseable
{
    /** Records are never deleted by age or size. */
    private static final Map<String, String> KEEP_ALL =
        Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1", TopicConfig.RETENTION_BYTES_CONFIG, "-1");

    private final Thread atExit = new Thread(this::delete, "bench-delete-topic");
    private final Cluster cluster;
    private final TopicClient client;
    private final String name;
    private final List<String> names = new CopyOnWriteArrayList<>();

    /** @param label scenario and case, for the name of the topic. */
    public CaseTopic(final Cluster cluster, final String label, final int partitions)
    {
        this(cluster, label, partitions, 1, KEEP_ALL);
    }

    /** So many topics with these configs; if there are several their names end in a number from 0 on. */
    public CaseTopic(final Cluster cluster, final String label, final int partitions, final int topics,
        final Map<String, String> configs)
    {
        this.cluster = cluster;
        client = new TopicClient(cluster.bootstrap());
        name = "odradek-" + label + "-" + UUID.randomUUID();
        if (cluster.isGiven())
        {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
        for (int topic = 0; topic < topics; topic++)
        {
            final String next = topics == 1 ? name : prefix() + topic;
            client.createTopic(next, partitions, configs);
            names.add(next);
        }
    }

    public String name()
    {
        return name;
    }

    /** @return what the names of several topics begin with; the number follows. */
    public String prefix()
    {
        return name + "-";
    }

    @Override
    public void close()
    {
        // A broker of our own ends soon and takes many logs along faster than it deletes them.
        if (cluster.isGiven() || names.size() == 1)
        {
            delete();
        }
        if (cluster.isGiven())
        {
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
        client.close();
    }

    private synchronized void delete()
    {
        names.forEach(client::deleteTopic);
        names.clear();
    }
}
