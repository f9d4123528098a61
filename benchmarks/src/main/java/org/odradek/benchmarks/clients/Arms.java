// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.ClientTask;
import org.odradek.benchmarks.rig.Settings;

import java.util.Map;

/** The clients that take part, under their names in rows. A new one is a file with its class and a line here. */
public final class Arms
{
    public static final Arm ODRADEK = Arm.of("odradek", OdradekClient.class);
    /** Reads numbers through the buffer of a record instead of by address. */
    public static final Arm ODRADEK_BUFFER = ODRADEK.as("odradek-buffer", "readsBuffer", true);
    /** The only member of a group, which commits once in five seconds. */
    public static final Arm ODRADEK_MEMBER = ODRADEK.as("odradek-member", "group", "odradek-member");
    /** With TLS each of its providers is named, so that neither stands for the other. */
    public static final Arm ODRADEK_BORINGSSL = ODRADEK.as("odradek", "tlsProvider", "BORINGSSL");
    public static final Arm ODRADEK_JDK = ODRADEK.as("odradek-jdk", "tlsProvider", "JDK");
    public static final Arm STOCK = Arm.of("stock", StockClient.class);
    public static final Arm STOCK_DEFAULTS = STOCK.as("stock-defaults", "defaults", true);
    public static final Arm STOCK_NEW = STOCK.as("stock-new", "groupProtocol", "consumer");
    /** For cases with a budget: as an expert sets it up for few wake-ups, see {@link #held}. */
    public static final Arm STOCK_TUNED = STOCK.as("stock-tuned");
    /** A loop that parks between polls that do not wait. */
    public static final Arm STOCK_PARKED = STOCK.as("stock-parked", "pollTimeoutMs", 0, "parkUs", 1_000);
    /** For a broker that is far away: ours as it comes, and with eight connections. */
    public static final Arm ODRADEK_DEFAULTS = ODRADEK.as("odradek", "defaults", true);
    public static final Arm ODRADEK_EIGHT = ODRADEK_DEFAULTS.as("odradek-eight", "fetchConnections", 8);
    public static final Arm STOCK_EIGHT =
        threads("stock-eight", StockClient.class, 8).as("stock-eight", "fetchMaxBytes", 1 << 20);
    public static final Arm STREAM = Arm.of("stream", StreamClient.class, StreamClient.CONNECTIONS, 1);
    public static final Arm STREAMS_EIGHT = STREAM.as("streams-eight", StreamClient.CONNECTIONS, 8);
    /** It waits in its read: the least that a thread with one socket costs. */
    public static final Arm BARE_LOOP = Arm.of("bare-loop", BareClient.class);
    /** It waits in a selector, as any client with several sockets must. */
    public static final Arm BARE_SELECT = BARE_LOOP.as("bare-loop-select", "select", true);
    public static final Arm FACADE = Arm.of("SimpleConsumer facade", FacadeClient.class);
    public static final Arm EMPTY_JVM = Arm.of("empty-jvm", NoClient.class);
    public static final Arm LIBRDKAFKA = new Arm("librdkafka", Librdkafka::start, Settings.NONE);

    /** It publishes. */
    public static final Arm LIBRDKAFKA_PRODUCER = new Arm("librdkafka", Librdkafka::startProducer, Settings.NONE);

    /** How many milliseconds later a record may come for the sake of fewer wake-ups. */
    public static final String BUDGET_MS = "budgetMs";
    /** What all clients of a live topic have in common. */
    public static final Settings LIVE = Settings.of(
        "fetchMaxBytes", 1 << 20, "partitionMaxBytes", 1 << 20, "fetchMinBytes", 1, "fetchMaxWaitMs", 500,
        "checkCrcs", true, "recordLimit", 500, "pollTimeoutMs", 100);

    private Arms()
    {
    }

    /** Returns an arm that reads with several clients of this class, each on its own thread with its share. */
    public static Arm threads(final String name, final Class<? extends Client> client, final int threads)
    {
        return Arm.of(name, Threads.class, "each", client.getName(), ClientTask.THREADS, threads);
    }

    public static Arm withBudget(final Arm arm, final int budgetMs)
    {
        return arm.as(arm.name() + "-" + budgetMs + "ms", BUDGET_MS, budgetMs);
    }

    /**
     * Returns settings that do the same as a budget, which is a setting of ours, for a client that has none: the broker
     * holds each fetch for that time, unless half of what it may return is there, which is what ours asks for.
     */
    static Settings held(final Settings settings)
    {
        final long budgetMs = settings.number(BUDGET_MS, 0);
        return budgetMs == 0 ? settings : settings.with("fetchMaxWaitMs", budgetMs, "fetchMinBytes",
            Math.min(settings.number("fetchMaxBytes"), settings.number("partitionMaxBytes")) / 2);
    }

    /** Returns how a client is to fetch, with the names that the stock consumer and ours have for it. */
    public static Map<String, String> fetchProperties(final Settings settings)
    {
        return Map.of(
            ConsumerConfig.FETCH_MAX_BYTES_CONFIG, settings.text("fetchMaxBytes"),
            ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, settings.text("partitionMaxBytes"),
            ConsumerConfig.FETCH_MIN_BYTES_CONFIG, settings.text("fetchMinBytes"),
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, settings.text("fetchMaxWaitMs"),
            ConsumerConfig.CHECK_CRCS_CONFIG, settings.text("checkCrcs"));
    }
}
