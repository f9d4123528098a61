// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.consumer.PollerIdleStrategy;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.TransportType;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Ours, all chains and services on one thread: a consumer a topic with a partition a chain, one poller to sleep in, one
 * producer.
 */
final class MultiplexedChains implements Chains
{
    private final ServiceThreads threads;
    private final String firstTopic;
    private final StockProducer producer;
    private final Poller poller = TopicConsumer.openPoller(TransportType.AUTO);
    private final PollerIdleStrategy idleStrategy = new PollerIdleStrategy(poller);
    private final OdradekReader[] readers = new OdradekReader[TOPICS];
    private final CountDownLatch ready = new CountDownLatch(1);
    private boolean isReady;

    MultiplexedChains(final ChainSettings settings, final int chains, final Arrivals arrivals)
    {
        threads = new ServiceThreads(arrivals);
        firstTopic = settings.topic(0);
        producer = new StockProducer(settings, arrivals);
        final int[] partitions = IntStream.range(0, chains).toArray();
        for (int step = 0; step < TOPICS; step++)
        {
            readers[step] = new OdradekReader(
                settings, step, partitions, poller, producer, step == SERVICES ? arrivals.end() : null);
        }
        threads.start("chains", this::turn);
        Latches.await(ready, arrivals);
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
        Closing.all(Arrays.asList(readers));
        poller.close();
        producer.close();
    }

    private void turn()
    {
        if (!isReady)
        {
            for (final OdradekReader reader : readers)
            {
                reader.awaitReady();
            }
            isReady = true;
            ready.countDown();
        }
        int records = 0;
        for (int step = SERVICES; step >= 0; step--)
        {
            records += readers[step].poll(0);
        }
        idleStrategy.idle(records);
    }
}
