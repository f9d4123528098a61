/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import java.util.List;
import java.util.function.Function;

/**
 * Who takes part, and under which name in tables and JSON.
 */
enum ArmKind
{
    ODRADEK("odradek", OdradekConsumer::new),
    BARE_LOOP("bare-loop", BareLoop::new),
    STOCK("stock", StockConsumer::withEqualSettings),
    STOCK_DEFAULTS("stock-defaults", StockConsumer::withItsDefaults),
    FACADE("SimpleConsumer facade", FacadeConsumer::new);

    /** Ours and the rivals. */
    static final List<ArmKind> CATCHUP = List.of(ODRADEK, BARE_LOOP, STOCK, STOCK_DEFAULTS);
    /** What a program for the old SimpleConsumer can change to. */
    static final List<ArmKind> MIGRATION = List.of(ODRADEK, FACADE);

    private final String client;
    private final Function<ArmSettings, Arm> factory;

    ArmKind(final String client, final Function<ArmSettings, Arm> factory)
    {
        this.client = client;
        this.factory = factory;
    }

    String client()
    {
        return client;
    }

    boolean isStock()
    {
        return this == STOCK || this == STOCK_DEFAULTS;
    }

    Arm open(final ArmSettings settings)
    {
        return factory.apply(settings);
    }
}
