// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import static org.odradek.benchmarks.report.Metric.ALLOCATED;
import static org.odradek.benchmarks.report.Metric.CHAINS;
import static org.odradek.benchmarks.report.Metric.P50;
import static org.odradek.benchmarks.report.Metric.P99;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU_PER_RECORD;
import static org.odradek.benchmarks.report.Metric.RECORDS_PER_SECOND;
import static org.odradek.benchmarks.report.Metric.THREAD_CPU;

import java.util.List;

/**
 * The table of all aims. Ratios are taken in one run, on two cores, with broker and producer on the same machine.
 */
public final class Aims
{
    static final List<Rival> BEST_RIVAL = List.of(Rival.STOCK, Rival.STOCK_NEW, Rival.LIBRDKAFKA);
    private static final List<Rival> STOCK = List.of(Rival.STOCK);
    private static final List<Rival> LIBRDKAFKA = List.of(Rival.LIBRDKAFKA);
    private static final List<Rival> BARE_LOOP = List.of(Rival.BARE_LOOP);
    private static final List<Rival> NOBODY = List.of();
    private static final String EVERY = ".*";
    private static final String LINGER_0 = ".*linger 0\\b.*";
    private static final String LINGER_5 = ".*linger 5\\b.*";
    private static final String ONE_PARTITION = "one partition, uncompressed, each size";
    private static final String SPINNING = "every rate, spinning";
    private static final String HELD = "highest held";

    /** In the order of the scenarios. */
    static final List<Aim> ALL = List.of(
        new Aim("signalfx", EVERY, "every case", ALLOCATED, "odradek", NOBODY, "0"),
        // Paced as well: a client that fetches each record as it comes cannot cost much less than the bare loop.
        new Aim("signalfx", LINGER_0, "linger 0", PROCESS_CPU, "odradek", STOCK, "≤ 0.2"),
        new Aim("signalfx", LINGER_0, "linger 0", PROCESS_CPU, "odradek", LIBRDKAFKA, "≤ 0.3"),
        new Aim("signalfx", LINGER_0, "linger 0", PROCESS_CPU, "odradek-paced", STOCK, "≤ 0.2"),
        new Aim("signalfx", LINGER_0, "linger 0", PROCESS_CPU, "odradek-paced", LIBRDKAFKA, "≤ 0.3"),
        new Aim("signalfx", LINGER_5, "linger 5 ms", THREAD_CPU, "odradek", STOCK, "≤ 0.15"),
        new Aim("idle", EVERY, "every case", THREAD_CPU, "odradek", STOCK, "≤ 0.2"),
        new Aim("idle", EVERY, "every case", ALLOCATED, "odradek", NOBODY, "0"),
        // CPU is that of the whole process: some rivals fetch on threads of their own.
        new Aim("catchup", "23 B", "23 B", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 6"),
        new Aim("catchup", "23 B", "23 B", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 1/7"),
        new Aim("catchup", "100 B", "100 B", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 4"),
        new Aim("catchup", "100 B", "100 B", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 1/5"),
        new Aim("catchup", "1000 B", "1000 B", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 1.6"),
        new Aim("catchup", "1000 B", "1000 B", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 0.45"),
        new Aim("catchup", "100 B, lz4", "100 B, lz4", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 2"),
        new Aim("catchup", "100 B, lz4", "100 B, lz4", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 0.5"),
        new Aim("catchup", "100 B, zstd", "100 B, zstd", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 2"),
        new Aim("catchup", "100 B, zstd", "100 B, zstd", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 0.5"),
        new Aim("catchup", "[0-9]+ B", ONE_PARTITION, RECORDS_PER_SECOND, "odradek", BARE_LOOP, "≥ 0.9"),
        new Aim("latency", EVERY, SPINNING, P50, "odradek-spin", BARE_LOOP, "≤ 1.2"),
        new Aim("latency", EVERY, SPINNING, P50, "odradek-spin", STOCK, "< 1"),
        new Aim("latency", EVERY, SPINNING, P99, "odradek-spin", BARE_LOOP, "≤ 1.2"),
        new Aim("latency", EVERY, SPINNING, P99, "odradek-spin", STOCK, "< 1"),
        // On two cores the article's own client held none, and Chronicle Queue about 100.
        new Aim("chain", HELD, HELD, CHAINS, "odradek-per-service", NOBODY, "≥ 5"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-multiplexed", NOBODY, "≥ 25"));

    private Aims()
    {
    }

    /**
     * What a figure of ours should be.
     *
     * @param scenario   the name of the command.
     * @param cases      a pattern of the names of its cases; each that matches is judged by itself.
     * @param casesTitle what the pattern means, shown if no case matches.
     * @param metric     that is judged.
     * @param client     of ours.
     * @param rivals     whose best figure it is divided by; none if the figure itself is bounded.
     * @param wanted     the bound of the ratio or of the figure: ≥, ≤ or &lt; and a number or a quotient; 0 for none.
     */
    record Aim(String scenario, String cases, String casesTitle, Metric metric, String client, List<Rival> rivals,
        String wanted)
    {
        boolean isAbsolute()
        {
            return rivals.isEmpty();
        }

        /**
         * @return whom ours is compared with, in words.
         */
        String against()
        {
            return isAbsolute() ? "absolute" : rivals.equals(BEST_RIVAL) ? Rival.BEST.title() : rivals.get(0).title();
        }

        private boolean isAtLeast()
        {
            return wanted.startsWith("≥");
        }

        double bound()
        {
            final String[] quotient = wanted.replaceAll("[≥≤< ]", "").split("/");
            final double numerator = Double.parseDouble(quotient[0]);
            return quotient.length == 1 ? numerator : numerator / Double.parseDouble(quotient[1]);
        }

        boolean isMetBy(final double figure)
        {
            return isAtLeast() ? figure >= bound() : wanted.startsWith("<") ? figure < bound() : figure <= bound();
        }

        /**
         * @return the one of the two that is further from being met.
         */
        double worse(final double one, final double other)
        {
            return isAtLeast() ? Math.min(one, other) : Math.max(one, other);
        }

        /**
         * @return the one of the two that is the better figure of a rival.
         */
        double betterForRival(final double one, final double other)
        {
            return isAtLeast() ? Math.max(one, other) : Math.min(one, other);
        }

        /**
         * @return by what factor the figure misses the bound, below 1 if it is met; infinite if the bound is 0.
         */
        double missedBy(final double figure)
        {
            return isAtLeast() ? bound() / figure : figure / bound();
        }
    }
}
