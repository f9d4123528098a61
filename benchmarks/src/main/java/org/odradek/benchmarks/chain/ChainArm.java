// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.rig.Settings;
import org.odradek.publisher.Acks;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** Who takes part, in the order of turns and tables. */
enum ChainArm
{
    /** Its 125 microseconds are 0 whole milliseconds, and with 0 the client does not wait: all threads spin. */
    ARTICLE("article-stock", 1, 1, true, false, Chains.ARTICLE_TIMEOUT, null),
    TIMEOUT("stock-timeout", 1, 30, true, false, Chains.STOCK_TIMEOUT, null),
    ONE_THREAD("stock-one-thread", 5, 100, false, false, Chains.STOCK_TIMEOUT, null),
    /** The usual way to scale on Kafka: key = chain, and the chains share a few partitions at each step. */
    ONE_THREAD_SHARED("stock-shared", 50, 400, false, true, Chains.STOCK_TIMEOUT, null),
    ONE_THREAD_SHARED_2("stock-shared-2ms", 100, 400, false, true, Chains.STOCK_TIMEOUT, null),
    ONE_THREAD_SHARED_1("stock-shared-1ms", 100, 400, false, true, Chains.STOCK_TIMEOUT, null),
    ONE_THREAD_SHARED_0("stock-shared-0ms", 100, 400, false, true, Chains.STOCK_TIMEOUT, null),
    PER_SERVICE("odradek-per-service", 5, 50, true, false, null, null),
    MULTIPLEXED("odradek-multiplexed", 25, 150, false, false, null, null),
    MULTIPLEXED_SHARED("odradek-shared", 100, 400, false, true, null, null),
    /** Our publisher, too, which sends not sooner than the others' linger after its last request. */
    PUBLISHER("odradek-publisher", 200, 1_000, false, true, null, Acks.LEADER),
    /** Its JVM has the class path of an earlier commit, where it is called PUBLISHER. */
    PUBLISHER_BEFORE("odradek-before-publisher", 200, 1_000, false, true, null, Acks.LEADER),
    PUBLISHER_5("odradek-publisher-5ms", 200, 1_000, false, true, null, Acks.LEADER),
    PUBLISHER_2("odradek-publisher-2ms", 200, 1_000, false, true, null, Acks.LEADER),
    PUBLISHER_1("odradek-publisher-1ms", 200, 1_000, false, true, null, Acks.LEADER),
    PUBLISHER_0("odradek-publisher-0ms", 200, 1_000, false, true, null, Acks.LEADER),
    PUBLISHER_ALL("odradek-publisher-acks-all", 200, 1_000, false, true, null, Acks.ALL),
    PUBLISHER_ALL_5("odradek-publisher-acks-all-5ms", 200, 1_000, false, true, null, Acks.ALL),
    PUBLISHER_ALL_2("odradek-publisher-acks-all-2ms", 200, 1_000, false, true, null, Acks.ALL),
    PUBLISHER_ALL_1("odradek-publisher-acks-all-1ms", 200, 1_000, false, true, null, Acks.ALL),
    PUBLISHER_ALL_0("odradek-publisher-acks-all-0ms", 200, 1_000, false, true, null, Acks.ALL),
    CHRONICLE("chronicle-queue", 200, 1_000, false, true, null, null);

    /** These run only with a limit below the usual one, where the others with longer intervals hold nothing. */
    private static final Set<ChainArm> SHORT_ONLY =
        EnumSet.of(ONE_THREAD_SHARED_1, ONE_THREAD_SHARED_0, PUBLISHER_0, PUBLISHER_ALL_0);
    private static final String MILLISECONDS = "ms";
    private static final int SHORT_MS = 2;

    /** Its name in tables and JSON. */
    final String client;
    /** The number of chains with which its search begins. */
    final int firstChains;
    /** The number that its search goes to. */
    final int mostChains;
    /** As the article has it; else one thread for all. */
    final boolean isThreadPerService;
    /** A few at each step, or uses none; else each chain has its own. */
    private final boolean isSharingPartitions;
    /** Of the polls of the stock consumer, null for others. */
    final Duration stockTimeout;
    /** Of our publisher, null for arms with the stock producer, or none. */
    final Acks publisherAcks;

    ChainArm(final String client, final int firstChains, final int mostChains, final boolean isThreadPerService,
        final boolean isSharingPartitions, final Duration stockTimeout, final Acks publisherAcks)
    {
        this.client = client;
        this.firstChains = firstChains;
        this.mostChains = mostChains;
        this.isThreadPerService = isThreadPerService;
        this.isSharingPartitions = isSharingPartitions;
        this.stockTimeout = stockTimeout;
        this.publisherAcks = publisherAcks;
    }

    /** Those that have one end with it, in milliseconds. */
    boolean hasOwnInterval()
    {
        return client.endsWith(MILLISECONDS);
    }

    /** Returns the linger of the stock producer and the interval of our publisher, in milliseconds. */
    int intervalMs(final int ofCommand)
    {
        return !hasOwnInterval() ? ofCommand :
            Integer.parseInt(client.substring(client.lastIndexOf('-') + 1).replace(MILLISECONDS, ""));
    }

    /** Returns whether it runs unless arms are chosen. */
    boolean isUsual(final boolean isShortLimit)
    {
        return isShortLimit ? this == CHRONICLE || hasOwnInterval() && intervalMs(0) <= SHORT_MS :
            !SHORT_ONLY.contains(this);
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
