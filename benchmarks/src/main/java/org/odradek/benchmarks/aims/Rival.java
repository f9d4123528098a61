// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

import java.util.List;

/**
 * Whom a figure is divided by. Of several rows of the same rival its better one counts.
 */
enum Rival
{
    STOCK("stock classic", "ToStock", List.of("stock", "stock-defaults")),
    STOCK_NEW("stock new", "ToStockNew", List.of("stock-new")),
    LIBRDKAFKA("librdkafka", "ToLibrdkafka", List.of("librdkafka")),
    BARE_LOOP("bare loop", "ToBareLoop", List.of("bare-loop"));

    private final String title;
    private final String ratioSuffix;
    private final List<String> clients;

    Rival(final String title, final String ratioSuffix, final List<String> clients)
    {
        this.title = title;
        this.ratioSuffix = ratioSuffix;
        this.clients = clients;
    }

    String title()
    {
        return title;
    }

    /**
     * @return what the name of a metric gets where it is a quotient taken within rounds.
     */
    String ratioSuffix()
    {
        return ratioSuffix;
    }

    List<String> clients()
    {
        return clients;
    }
}
