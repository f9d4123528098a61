// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.testkit.TopicClient;

import java.util.Map;
import java.util.UUID;

/**
 * The six topics of a run, a partition for every chain there may be. All arms and steps use them: each begins behind
 * what is there.
 */
final class ChainTopics implements AutoCloseable
{
    /** Thousands of logs: an index of the default size would take 10 MiB of each at once. */
    private static final Map<String, String> CONFIGS = Map.of("segment.index.bytes", "1048576");

    private final Thread atExit = new Thread(this::delete, "chain-delete-topics");
    private final boolean isInGivenCluster;
    private final TopicClient client;
    private final String names = "odradek-chain-" + UUID.randomUUID() + "-";
    private int created;

    /**
     * @param isInGivenCluster the topics must go even when the run is broken off; a broker of our own takes them along.
     */
    ChainTopics(final String bootstrap, final int partitions, final boolean isInGivenCluster)
    {
        this.isInGivenCluster = isInGivenCluster;
        client = new TopicClient(bootstrap);
        if (isInGivenCluster)
        {
            Runtime.getRuntime().addShutdownHook(atExit);
        }
        for (; created < Chains.TOPICS; created++)
        {
            client.createTopic(names + created, partitions, CONFIGS);
        }
    }

    /** What the names of the six begin with; their step follows. */
    String names()
    {
        return names;
    }

    @Override
    public void close()
    {
        if (isInGivenCluster)
        {
            delete();
            Runtime.getRuntime().removeShutdownHook(atExit);
        }
        client.close();
    }

    private synchronized void delete()
    {
        while (created > 0)
        {
            created--;
            client.deleteTopic(names + created);
        }
    }
}
