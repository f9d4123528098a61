// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import java.util.function.BiFunction;

/**
 * The clients that run in a JVM, and under which name in rows.
 */
public enum ClientKind
{
    ODRADEK("odradek", OdradekClient::withEqualSettings),
    ODRADEK_PACED("odradek-paced", OdradekClient::withPacing),
    STOCK("stock", StockClient::withEqualSettings),
    STOCK_DEFAULTS("stock-defaults", StockClient::withItsDefaults),
    STOCK_NEW("stock-new", StockClient::withNewProtocol),
    BARE_LOOP("bare-loop", BareClient::new),
    EMPTY_JVM("empty-jvm", (settings, sink) -> new NoClient());

    private final String client;
    private final BiFunction<ClientSettings, ValueSink, LiveClient> factory;

    ClientKind(final String client, final BiFunction<ClientSettings, ValueSink, LiveClient> factory)
    {
        this.client = client;
        this.factory = factory;
    }

    /**
     * @return its name.
     */
    public String client()
    {
        return client;
    }

    LiveClient open(final ClientSettings settings, final ValueSink sink)
    {
        return factory.apply(settings, sink);
    }

    static ClientKind of(final String client)
    {
        for (final ClientKind kind : values())
        {
            if (kind.client.equals(client))
            {
                return kind;
            }
        }
        throw new IllegalArgumentException("There is no client " + client + ".");
    }
}
