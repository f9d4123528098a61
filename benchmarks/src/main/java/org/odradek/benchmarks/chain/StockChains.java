// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.apache.kafka.common.TopicPartition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The stock client as the article has it: each service is a thread with a consumer and a producer of its own.
 */
final class StockChains implements Chains
{
    /** An eighth of the time between two messages. */
    static final Duration ARTICLE_TIMEOUT = Duration.ofNanos(ChainSchedule.PERIOD_NS / 8);
    static final Duration TIMEOUT = Duration.ofMillis(10);

    private final List<AutoCloseable> parts = new ArrayList<>();
    private final ServiceThreads threads;
    private final String firstTopic;
    private final StockProducer[] firstProducers;

    private StockChains(final ChainSettings settings, final int chains, final Arrivals arrivals, final Duration timeout)
    {
        threads = new ServiceThreads(arrivals);
        firstTopic = settings.topic(0);
        firstProducers = new StockProducer[chains];
        for (int chain = 0; chain < chains; chain++)
        {
            firstProducers[chain] = producer(settings, arrivals);
            for (int step = 0; step < TOPICS; step++)
            {
                final boolean isLast = step == SERVICES;
                final StockReader reader = new StockReader(settings,
                    List.of(new TopicPartition(settings.topic(step), chain)), timeout,
                    isLast ? null : producer(settings, arrivals), isLast ? arrivals.end() : null);
                parts.add(reader);
                threads.start("chain-" + chain + "-" + step, reader::poll);
            }
        }
    }

    /** Its 125 microseconds are 0 whole milliseconds, and with 0 the client does not wait: all threads spin. */
    static Chains asInTheArticle(final ChainSettings settings, final int chains, final Arrivals arrivals)
    {
        return new StockChains(settings, chains, arrivals, ARTICLE_TIMEOUT);
    }

    static Chains withTimeout(final ChainSettings settings, final int chains, final Arrivals arrivals)
    {
        return new StockChains(settings, chains, arrivals, TIMEOUT);
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
        Closing.all(parts);
    }

    private StockProducer producer(final ChainSettings settings, final Arrivals arrivals)
    {
        final StockProducer producer = new StockProducer(settings, arrivals);
        parts.add(producer);
        return producer;
    }
}
