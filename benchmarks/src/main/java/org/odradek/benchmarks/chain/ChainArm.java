// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.rig.Settings;

import java.time.Duration;

/** Who takes part, in the order of turns and tables. */
enum ChainArm
{
    /** Its 125 microseconds are 0 whole milliseconds, and with 0 the client does not wait: all threads spin. */
    ARTICLE("article-stock", 1, 1, true, false, Chains.ARTICLE_TIMEOUT),
    TIMEOUT("stock-timeout", 1, 30, true, false, Chains.STOCK_TIMEOUT),
    ONE_THREAD("stock-one-thread", 5, 100, false, false, Chains.STOCK_TIMEOUT),
    /** The usual way to scale on Kafka: key = chain, and the chains share a few partitions at each step. */
    ONE_THREAD_SHARED("stock-shared", 50, 400, false, true, Chains.STOCK_TIMEOUT),
    PER_SERVICE("odradek-per-service", 5, 50, true, false, null),
    MULTIPLEXED("odradek-multiplexed", 25, 150, false, false, null),
    MULTIPLEXED_SHARED("odradek-shared", 100, 400, false, true, null),
    CHRONICLE("chronicle-queue", 50, 200, false, true, null);

    final String client; // its name in tables and JSON
    final int firstChains; // with which its search begins
    final int mostChains; // that its search goes to
    final boolean isThreadPerService; // as the article has it; else one thread for all
    private final boolean isSharingPartitions; // a few at each step, or uses none; else each chain has its own
    final Duration stockTimeout; // of the polls of the stock consumer, null for others

    ChainArm(final String client, final int firstChains, final int mostChains, final boolean isThreadPerService,
        final boolean isSharingPartitions, final Duration stockTimeout)
    {
        this.client = client;
        this.firstChains = firstChains;
        this.mostChains = mostChains;
        this.isThreadPerService = isThreadPerService;
        this.isSharingPartitions = isSharingPartitions;
        this.stockTimeout = stockTimeout;
    }

    /** The partitions of each topic. */
    int partitions(final int chains)
    {
        return isSharingPartitions ? KafkaChains.SHARED_PARTITIONS : chains;
    }

    Chains open(final Settings settings, final Messages messages)
    {
        return this == CHRONICLE ? new ChronicleChains(settings, messages) : new KafkaChains(this, settings, messages);
    }
}
