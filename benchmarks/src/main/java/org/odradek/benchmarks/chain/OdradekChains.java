// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ours in the place of the stock client: each service is a thread with a consumer and a producer of its own.
 */
final class OdradekChains implements Chains
{
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<AutoCloseable> producers = new ArrayList<>();
    private final List<OdradekReader> readers = new ArrayList<>();
    private final ServiceThreads threads;
    private final String firstTopic;
    private final StockProducer[] firstProducers;

    OdradekChains(final ChainSettings settings, final int chains, final Arrivals arrivals)
    {
        threads = new ServiceThreads(arrivals);
        firstTopic = settings.topic(0);
        firstProducers = new StockProducer[chains];
        final CountDownLatch ready = new CountDownLatch(chains * TOPICS);
        for (int chain = 0; chain < chains; chain++)
        {
            firstProducers[chain] = producer(settings, arrivals);
            for (int step = 0; step < TOPICS; step++)
            {
                final boolean isLast = step == SERVICES;
                final OdradekReader reader = new OdradekReader(settings, step, new int[]{chain}, null,
                    isLast ? null : producer(settings, arrivals), isLast ? arrivals.end() : null);
                readers.add(reader);
                threads.start("chain-" + chain + "-" + step, new Service(reader, ready));
            }
        }
        Latches.await(ready, arrivals);
    }

    @Override
    public void send(final int chain, final long intendedNs)
    {
        firstProducers[chain].send(firstTopic, chain, 0, intendedNs);
    }

    @Override
    public void close()
    {
        threads.stop();
        Closing.all(readers);
        Closing.all(producers);
    }

    private StockProducer producer(final ChainSettings settings, final Arrivals arrivals)
    {
        final StockProducer producer = new StockProducer(settings, arrivals);
        producers.add(producer);
        return producer;
    }

    /** The thread that polls first owns the consumer, so it is also the one that waits for it. */
    private static final class Service implements Runnable
    {
        private final OdradekReader reader;
        private final CountDownLatch ready;
        private boolean isReady;

        private Service(final OdradekReader reader, final CountDownLatch ready)
        {
            this.reader = reader;
            this.ready = ready;
        }

        @Override
        public void run()
        {
            if (!isReady)
            {
                reader.awaitReady();
                isReady = true;
                ready.countDown();
            }
            reader.poll(POLL_TIMEOUT_NS);
        }
    }
}
