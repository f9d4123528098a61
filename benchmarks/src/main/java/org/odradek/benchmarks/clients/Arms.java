// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.ClientTask;
import org.odradek.benchmarks.rig.Settings;

/**
 * The clients that take part, under their names in rows. A new one is a file with its class and a line here.
 */
public final class Arms
{
    public static final Arm ODRADEK = Arm.of("odradek", OdradekClient.class);
    /** Reads numbers through the buffer of a record instead of by address. */
    public static final Arm ODRADEK_BUFFER = ODRADEK.as("odradek-buffer", "readsBuffer", true);
    public static final Arm PACED = ODRADEK.as("odradek-paced", "latencyBudgetMs", 2);
    public static final Arm STOCK = Arm.of("stock", StockClient.class);
    public static final Arm STOCK_DEFAULTS = STOCK.as("stock-defaults", "defaults", true);
    public static final Arm STOCK_NEW = STOCK.as("stock-new", "groupProtocol", "consumer");
    /** As an expert sets it up for few wake-ups: the broker holds a fetch for as long as our paced one waits. */
    public static final Arm STOCK_TUNED = STOCK.as("stock-tuned", "fetchMinBytes", 100_000, "fetchMaxWaitMs", 2);
    /** A loop that parks between polls that do not wait. */
    public static final Arm STOCK_PARKED = STOCK.as("stock-parked", "pollTimeoutMs", 0, "parkUs", 1_000);
    public static final Arm BARE_LOOP = Arm.of("bare-loop", BareClient.class);
    public static final Arm FACADE = Arm.of("SimpleConsumer facade", FacadeClient.class);
    public static final Arm EMPTY_JVM = Arm.of("empty-jvm", NoClient.class);
    public static final Arm LIBRDKAFKA = new Arm("librdkafka", Librdkafka::start, Settings.NONE);

    /** What all clients of a live topic have in common. */
    public static final Settings LIVE = Settings.of(
        "fetchMaxBytes", 1 << 20, "partitionMaxBytes", 1 << 20, "fetchMinBytes", 1, "fetchMaxWaitMs", 500,
        "checkCrcs", true, "recordLimit", 500, "pollTimeoutMs", 100);

    private Arms()
    {
    }

    /**
     * @return an arm that reads with several clients of this class, each on its own thread with its share.
     */
    public static Arm threads(final String name, final Class<? extends Client> client, final int threads)
    {
        return Arm.of(name, Threads.class, "each", client.getName(), ClientTask.THREADS, threads);
    }
}
