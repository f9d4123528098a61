// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import java.util.List;
import java.util.function.Function;

/**
 * Who takes part, under which name in tables and JSON, and as what program.
 */
enum ArmKind
{
    ODRADEK("odradek", OdradekConsumer::new),
    BARE_LOOP("bare-loop", BareLoop::new),
    STOCK("stock", StockConsumer::withEqualSettings),
    STOCK_DEFAULTS("stock-defaults", StockConsumer::withItsDefaults),
    STOCK_NEW("stock-new", StockConsumer::withNewProtocol),
    LIBRDKAFKA("librdkafka", NativeArm::start),
    FACADE("SimpleConsumer facade", FacadeConsumer::new);

    /** Ours and who else is there. */
    static final List<ArmKind> CATCHUP = List.of(ODRADEK, BARE_LOOP, STOCK, STOCK_DEFAULTS, STOCK_NEW, LIBRDKAFKA);
    /** What a program that was written for the old SimpleConsumer can be moved to. */
    static final List<ArmKind> MIGRATION = List.of(ODRADEK, FACADE);

    private final String client;
    private final ArmProgram.Launcher launcher;
    private final Function<ArmSettings, Arm> factory;

    ArmKind(final String client, final Function<ArmSettings, Arm> factory)
    {
        this.client = client;
        this.factory = factory;
        launcher = JavaArm::start;
    }

    /** One that is a program of its own. */
    ArmKind(final String client, final ArmProgram.Launcher launcher)
    {
        this.client = client;
        this.launcher = launcher;
        factory = settings ->
        {
            throw new IllegalStateException(client + " is no part of a JVM.");
        };
    }

    String client()
    {
        return client;
    }

    /**
     * @return whether it is the classic stock client, whose better row counts.
     */
    boolean isStock()
    {
        return this == STOCK || this == STOCK_DEFAULTS;
    }

    /**
     * @return whether it is what a user would take instead of ours; a rival that cannot run is left out and named.
     */
    boolean isRival()
    {
        return this != ODRADEK && this != BARE_LOOP && this != FACADE;
    }

    /**
     * @return whether it can read such a topic: the bare loop knows one partition and no codec.
     */
    boolean canRead(final CatchupCase catchupCase)
    {
        return this != BARE_LOOP || catchupCase.partitions() == 1 && !catchupCase.isCompressed();
    }

    ArmProgram.Launcher launcher()
    {
        return launcher;
    }

    Arm open(final ArmSettings settings)
    {
        return factory.apply(settings);
    }
}
