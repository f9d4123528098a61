// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.util.List;

/** The clients that a figure is divided by. If a rival has several rows, the better one counts. */
public enum Rival
{
    STOCK("stock classic", "ToStock", "stock", "stock-spin", "stock-defaults", "stock-zgc"),
    STOCK_NEW("stock new", "ToStockNew", "stock-new"),
    STOCK_SHARED("stock shared", "ToStockShared", "stock-shared"),
    STOCK_SHARED_2("stock shared, 2 ms", "ToStockShared2", "stock-shared-2ms"),
    CHRONICLE("Chronicle Queue", "ToChronicle", "chronicle-queue"),
    STOCK_TUNED("stock tuned", "ToStockTuned", "stock-tuned"),
    LIBRDKAFKA("librdkafka", "ToLibrdkafka", "librdkafka"),
    STOCK_EIGHT("eight stock consumers", "ToStockEight", "stock-eight"),
    STREAM("a bare stream", "ToStream", "stream"),
    STREAMS_EIGHT("eight bare streams", "ToStreamsEight", "streams-eight"),
    BARE_LOOP("bare loop", "ToBareLoop", "bare-loop"),
    BARE_SELECT("bare loop with select", "ToBareSelect", "bare-loop-select"),
    OWN_EIGHT("own eight fixed connections", "ToOwnEight", "odradek-eight"),
    OWN_DEFAULT("own default", "ToOwnDefault", "odradek"),
    BARE_RING("bare ring", "ToBareRing", "bare-ring"),
    STOCK_POOL("stock with a pool", "ToStockPool", "stock-pool"),
    PARALLEL("parallel-consumer", "ToParallelConsumer", "parallel-consumer"),
    FLINK_KAFKA("Flink's connector", "ToConnector", "flink-kafka"),
    BEST("best rival", "ToBestRival", "stock", "stock-defaults", "stock-zgc", "stock-new", "librdkafka");

    final String title;
    /** The end of the name of each metric that is a ratio to this rival, taken within a round. */
    final String suffix;
    final List<String> clients;

    Rival(final String title, final String suffix, final String... clients)
    {
        this.title = title;
        this.suffix = suffix;
        this.clients = List.of(clients);
    }
}
