// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.apache.kafka.common.TopicPartition;

import java.util.ArrayList;
import java.util.List;

/**
 * The stock client as well as it goes: one consumer of all partitions of all topics, one thread, one producer.
 */
final class StockOneThreadChains implements Chains
{
    private final ServiceThreads threads;
    private final String firstTopic;
    private final StockProducer producer;
    private final StockReader reader;

    StockOneThreadChains(final ChainSettings settings, final int chains, final Arrivals arrivals)
    {
        threads = new ServiceThreads(arrivals);
        firstTopic = settings.topic(0);
        producer = new StockProducer(settings, arrivals);
        final List<TopicPartition> partitions = new ArrayList<>();
        for (int step = 0; step < TOPICS; step++)
        {
            for (int chain = 0; chain < chains; chain++)
            {
                partitions.add(new TopicPartition(settings.topic(step), chain));
            }
        }
        reader = new StockReader(settings, partitions, StockChains.TIMEOUT, producer, arrivals.end());
        threads.start("chains", reader::poll);
    }

    @Override
    public void send(final int chain, final long intendedNs)
    {
        producer.send(firstTopic, chain, 0, intendedNs);
    }

    @Override
    public void close()
    {
        threads.stop();
        reader.close();
        producer.close();
    }
}
