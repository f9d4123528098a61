// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.rig.Settings;

/**
 * Who takes part, in the order of turns and tables.
 */
enum ChainArm
{
    /** Its 125 microseconds are 0 whole milliseconds, and with 0 the client does not wait: all threads spin. */
    ARTICLE("article-stock", 1, 1, (settings, messages) ->
        KafkaChains.threadPerService(settings, messages, Chains.ARTICLE_TIMEOUT)),
    TIMEOUT("stock-timeout", 1, 30, (settings, messages) ->
        KafkaChains.threadPerService(settings, messages, Chains.STOCK_TIMEOUT)),
    ONE_THREAD("stock-one-thread", 5, 100, (settings, messages) ->
        KafkaChains.stockOnOneThread(settings, messages, messages.chains)),
    /** The usual way to scale on Kafka: key = chain, and the chains share a few partitions at each step. */
    ONE_THREAD_SHARED("stock-shared", 50, 400, (settings, messages) ->
        KafkaChains.stockOnOneThread(settings, messages, KafkaChains.SHARED_PARTITIONS)),
    PER_SERVICE("odradek-per-service", 5, 50, (settings, messages) ->
        KafkaChains.threadPerService(settings, messages, null)),
    MULTIPLEXED("odradek-multiplexed", 25, 150, (settings, messages) ->
        KafkaChains.multiplexed(settings, messages, messages.chains)),
    MULTIPLEXED_SHARED("odradek-shared", 100, 400, (settings, messages) ->
        KafkaChains.multiplexed(settings, messages, KafkaChains.SHARED_PARTITIONS)),
    CHRONICLE("chronicle-queue", 50, 200, ChronicleChains::new);

    final String client;
    final int firstChains;
    final int mostChains;
    private final Factory factory;

    /** Makes the chains of a step. */
    private interface Factory
    {
        Chains open(Settings settings, Messages messages);
    }

    /**
     * @param client      its name in tables and JSON.
     * @param firstChains with which its search begins.
     * @param mostChains  that its search goes to.
     */
    ChainArm(final String client, final int firstChains, final int mostChains, final Factory factory)
    {
        this.client = client;
        this.firstChains = firstChains;
        this.mostChains = mostChains;
        this.factory = factory;
    }

    /**
     * @return how many partitions each topic has for so many chains; Chronicle Queue has no broker.
     */
    int partitions(final int chains)
    {
        return switch (this)
        {
            case ONE_THREAD_SHARED, MULTIPLEXED_SHARED -> KafkaChains.SHARED_PARTITIONS;
            case CHRONICLE -> 1;
            default -> chains;
        };
    }

    Chains open(final Settings settings, final Messages messages)
    {
        return factory.open(settings, messages);
    }
}
