// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.List;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Settings;

/**
 * Who takes part.
 *
 * @param client      its name in tables and JSON.
 * @param firstChains with which its search begins.
 * @param mostChains  that its search goes to.
 * @param factory     makes the chains of a step; they carry messages when it returns.
 */
record ChainArm(String client, int firstChains, int mostChains, Factory factory)
{
    /** Its 125 microseconds are 0 whole milliseconds, and with 0 the client does not wait: all threads spin. */
    static final ChainArm ARTICLE = new ChainArm("article-stock", 1, 1, (settings, chains, arrivals) ->
        KafkaChains.threadPerService(settings, chains, arrivals, Chains.ARTICLE_TIMEOUT));
    static final ChainArm TIMEOUT = new ChainArm("stock-timeout", 1, 30, (settings, chains, arrivals) ->
        KafkaChains.threadPerService(settings, chains, arrivals, Chains.STOCK_TIMEOUT));
    static final ChainArm ONE_THREAD = new ChainArm("stock-one-thread", 5, 100, (settings, chains, arrivals) ->
        KafkaChains.stockOnOneThread(settings, chains, chains, arrivals));
    static final ChainArm PER_SERVICE = new ChainArm("odradek-per-service", 5, 50, (settings, chains, arrivals) ->
        KafkaChains.threadPerService(settings, chains, arrivals, null));
    static final ChainArm MULTIPLEXED = new ChainArm("odradek-multiplexed", 25, 150, (settings, chains, arrivals) ->
        KafkaChains.multiplexed(settings, chains, chains, arrivals));
    /** The usual way to scale on Kafka: key = chain, and the chains share a few partitions at each step. */
    static final ChainArm ONE_THREAD_SHARED = new ChainArm("stock-shared", 50, 400, (settings, chains, arrivals) ->
        KafkaChains.stockOnOneThread(settings, chains, KafkaChains.SHARED_PARTITIONS, arrivals));
    static final ChainArm MULTIPLEXED_SHARED = new ChainArm("odradek-shared", 100, 400, (settings, chains, arrivals) ->
        KafkaChains.multiplexed(settings, chains, KafkaChains.SHARED_PARTITIONS, arrivals));
    static final ChainArm CHRONICLE = new ChainArm("chronicle-queue", 50, 200, ChronicleChains::new);
    static final List<ChainArm> ALL = List.of(
        ARTICLE, TIMEOUT, ONE_THREAD, ONE_THREAD_SHARED, PER_SERVICE, MULTIPLEXED, MULTIPLEXED_SHARED, CHRONICLE);
    /** With what Chronicle Queue needs on JDK 17 and later, as its documentation has it; the same for all arms. */
    static final Child.Jvm JVM = Child.Jvm.STANDARD.with(List.of(
        "-XX:MaxDirectMemorySize=2g",
        "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
        "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
        "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
        "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
        "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
        "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
        "--add-opens=java.base/java.io=ALL-UNNAMED",
        "--add-opens=java.base/java.util=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));

    /** Makes chains. */
    interface Factory
    {
        Chains open(Settings settings, int chains, Arrivals arrivals);
    }

    /** Chronicle Queue has no broker. */
    boolean isOnKafka()
    {
        return this != CHRONICLE;
    }

    boolean isOurs()
    {
        return this == PER_SERVICE || this == MULTIPLEXED || this == MULTIPLEXED_SHARED;
    }

    /**
     * @return how many partitions each topic has for so many chains.
     */
    int partitions(final int chains)
    {
        return this == ONE_THREAD_SHARED || this == MULTIPLEXED_SHARED ? KafkaChains.SHARED_PARTITIONS : chains;
    }
}
