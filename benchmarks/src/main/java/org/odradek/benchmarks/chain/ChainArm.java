// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.List;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Settings;

/**
 * Who takes part, under which name in tables and JSON, and where its search begins.
 */
enum ChainArm
{
    /** Its 125 microseconds are 0 whole milliseconds, and with 0 the client does not wait: all threads spin. */
    ARTICLE("article-stock", 1, 1, (settings, chains, arrivals) ->
        KafkaChains.threadPerService(settings, chains, arrivals, Chains.ARTICLE_TIMEOUT)),
    TIMEOUT("stock-timeout", 1, 30, (settings, chains, arrivals) ->
        KafkaChains.threadPerService(settings, chains, arrivals, Chains.STOCK_TIMEOUT)),
    ONE_THREAD("stock-one-thread", 5, 100, (settings, chains, arrivals) ->
        KafkaChains.stockOnOneThread(settings, chains, arrivals, Chains.STOCK_TIMEOUT)),
    PER_SERVICE("odradek-per-service", 5, 50, (settings, chains, arrivals) ->
        KafkaChains.threadPerService(settings, chains, arrivals, null)),
    MULTIPLEXED("odradek-multiplexed", 25, 150, KafkaChains::multiplexed),
    CHRONICLE("chronicle-queue", 50, 200, ChronicleChains::new);

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

    private final String client;
    private final int firstChains;
    private final int mostChains;
    private final Factory factory;

    ChainArm(final String client, final int firstChains, final int mostChains, final Factory factory)
    {
        this.client = client;
        this.firstChains = firstChains;
        this.mostChains = mostChains;
        this.factory = factory;
    }

    String client()
    {
        return client;
    }

    /** The number of chains its search begins with. */
    int firstChains()
    {
        return firstChains;
    }

    /** The search goes no further. */
    int mostChains()
    {
        return mostChains;
    }

    /** Chronicle Queue has no broker. */
    boolean isOnKafka()
    {
        return this != CHRONICLE;
    }

    boolean isOurs()
    {
        return this == PER_SERVICE || this == MULTIPLEXED;
    }

    /** Makes the chains of a step; they carry messages when it returns. */
    Chains open(final Settings settings, final int chains, final Arrivals arrivals)
    {
        return factory.open(settings, chains, arrivals);
    }

    private interface Factory
    {
        Chains open(Settings settings, int chains, Arrivals arrivals);
    }
}
