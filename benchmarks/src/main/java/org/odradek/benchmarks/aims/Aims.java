// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

import java.util.ArrayList;
import java.util.List;

/**
 * All aims. Quotients are taken in one run, on two cores, with broker and producer beside.
 */
public final class Aims
{
    static final List<Rival> BEST_RIVAL = List.of(Rival.STOCK, Rival.STOCK_NEW, Rival.LIBRDKAFKA);

    private static final List<Rival> STOCK = List.of(Rival.STOCK);
    private static final List<Rival> LIBRDKAFKA = List.of(Rival.LIBRDKAFKA);
    private static final List<Rival> BARE_LOOP = List.of(Rival.BARE_LOOP);
    private static final List<Rival> NOBODY = List.of();

    private static final String OURS = "odradek";
    private static final String OURS_PACED = OURS + "-paced";
    private static final String EVERY_CASE = ".*";
    private static final String LINGER_0 = ".*linger 0\\b.*";
    private static final String LINGER_5 = ".*linger 5\\b.*";
    private static final Bound NOTHING = Bound.nothing();

    private Aims()
    {
    }

    /**
     * @return in the order of the scenarios.
     */
    public static List<Aim> all()
    {
        final List<Aim> aims = new ArrayList<>();
        addLive(aims);
        addCatchup(aims);
        addLatency(aims);
        addChain(aims);
        return aims;
    }

    private static void addLive(final List<Aim> aims)
    {
        aims.add(new Aim("signalfx", EVERY_CASE, "every case", "allocatedBytes", OURS, NOBODY, NOTHING));
        // Paced as well: who fetches each record as it comes cannot spend much less than the bare loop does.
        for (final String client : List.of(OURS, OURS_PACED))
        {
            aims.add(new Aim(
                "signalfx", LINGER_0, "linger 0", "processCpuPercent", client, STOCK, Bound.atMost(0.2, "0.2")));
            aims.add(new Aim(
                "signalfx", LINGER_0, "linger 0", "processCpuPercent", client, LIBRDKAFKA, Bound.atMost(0.3, "0.3")));
        }
        aims.add(new Aim(
            "signalfx", LINGER_5, "linger 5 ms", "threadCpuPercent", OURS, STOCK, Bound.atMost(0.15, "0.15")));
        aims.add(new Aim(
            "idle", EVERY_CASE, "every case", "threadCpuPercent", OURS, STOCK, Bound.atMost(0.2, "0.2")));
        aims.add(new Aim("idle", EVERY_CASE, "every case", "allocatedBytes", OURS, NOBODY, NOTHING));
    }

    private static void addCatchup(final List<Aim> aims)
    {
        addCatchup(aims, "23 B", Bound.atLeast(6, "6"), Bound.atMost(1 / 7.0, "1/7"));
        addCatchup(aims, "100 B", Bound.atLeast(4, "4"), Bound.atMost(1 / 5.0, "1/5"));
        addCatchup(aims, "1000 B", Bound.atLeast(1.6, "1.6"), Bound.atMost(0.45, "0.45"));
        addCatchup(aims, "100 B, lz4", Bound.atLeast(2, "2"), Bound.atMost(0.5, "0.5"));
        addCatchup(aims, "100 B, zstd", Bound.atLeast(2, "2"), Bound.atMost(0.5, "0.5"));
        aims.add(new Aim("catchup", "[0-9]+ B", "one partition, uncompressed, each size", "recordsPerSecond", OURS,
            BARE_LOOP, Bound.atLeast(0.9, "0.9")));
    }

    /** CPU is that of the whole process: some rivals fetch on threads of their own. */
    private static void addCatchup(final List<Aim> aims, final String caseName, final Bound rate, final Bound cpu)
    {
        aims.add(new Aim("catchup", caseName, caseName, "recordsPerSecond", OURS, BEST_RIVAL, rate));
        aims.add(new Aim("catchup", caseName, caseName, "processCpuPerRecord", OURS, BEST_RIVAL, cpu));
    }

    private static void addLatency(final List<Aim> aims)
    {
        for (final String metric : List.of("latencyP50Us", "latencyP99Us"))
        {
            aims.add(new Aim("latency", EVERY_CASE, "every rate, spinning", metric, OURS + "-spin", BARE_LOOP,
                Bound.atMost(1.2, "1.2")));
            aims.add(new Aim("latency", EVERY_CASE, "every rate, spinning", metric, OURS + "-spin", STOCK,
                Bound.below(1, "1")));
        }
    }

    /** On two cores the article's own arm held none, and Chronicle Queue about 100. */
    private static void addChain(final List<Aim> aims)
    {
        aims.add(new Aim("chain", "highest held", "highest held", "chains", OURS + "-per-service", NOBODY,
            Bound.atLeast(5, "5")));
        aims.add(new Aim("chain", "highest held", "highest held", "chains", OURS + "-multiplexed", NOBODY,
            Bound.atLeast(25, "25")));
    }
}
