// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import static org.odradek.benchmarks.report.Metric.ALLOCATED;
import static org.odradek.benchmarks.report.Metric.ALLOCATED_PER_RECORD;
import static org.odradek.benchmarks.report.Metric.CHAINS;
import static org.odradek.benchmarks.report.Metric.FETCHES;
import static org.odradek.benchmarks.report.Metric.P50;
import static org.odradek.benchmarks.report.Metric.P50_ADDED;
import static org.odradek.benchmarks.report.Metric.P50_OVER_CONNECTOR;
import static org.odradek.benchmarks.report.Metric.P99;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU_PER_RECORD;
import static org.odradek.benchmarks.report.Metric.RECORDS_PER_SECOND;
import static org.odradek.benchmarks.report.Metric.THREAD_CPU;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The table of all aims. Ratios are taken in one run, on two cores, with broker and producer on the same machine.
 */
public final class Aims
{
    static final List<Rival> BEST_RIVAL = List.of(Rival.STOCK, Rival.STOCK_NEW, Rival.LIBRDKAFKA);
    private static final List<Rival> STOCK = List.of(Rival.STOCK);
    private static final List<Rival> LIBRDKAFKA = List.of(Rival.LIBRDKAFKA);
    private static final List<Rival> BARE_LOOP = List.of(Rival.BARE_LOOP);
    private static final List<Rival> STOCK_TUNED = List.of(Rival.STOCK_TUNED);
    private static final List<Rival> OWN_DEFAULT = List.of(Rival.OWN_DEFAULT);
    private static final List<Rival> TLS_RIVALS = List.of(Rival.STOCK, Rival.LIBRDKAFKA);
    private static final List<Rival> STOCK_NEW = List.of(Rival.STOCK_NEW);
    private static final List<Rival> STOCK_SHARED = List.of(Rival.STOCK_SHARED);
    private static final List<Rival> FLINK_KAFKA = List.of(Rival.FLINK_KAFKA);
    private static final List<Rival> NOBODY = List.of();
    private static final String EVERY = ".*";
    /** In slower cases one fetch more or less is more than the bound; the scenario itself fails if there are two. */
    private static final String COUNTABLE = "[0-9]{3,}/s.*";
    private static final String ONE_PARTITION = "one partition, uncompressed, each size";
    private static final String SPINNING = "every rate, spinning";
    private static final String HELD = "highest held";

    /** In the order of the scenarios. */
    static final List<Aim> ALL = List.of(
        new Aim("signalfx", EVERY, "every case", ALLOCATED, "odradek", NOBODY, "0"),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", THREAD_CPU, "odradek", STOCK_TUNED, "≤ 0.3"),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", PROCESS_CPU, "odradek", STOCK_TUNED, "≤ 0.3"),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", THREAD_CPU, "odradek", STOCK_TUNED, "≤ 0.4"),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", PROCESS_CPU, "odradek", STOCK_TUNED, "≤ 0.4"),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", THREAD_CPU, "odradek", BARE_LOOP, "≤ 1.2"),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", PROCESS_CPU, "odradek", BARE_LOOP, "≤ 1.2"),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", THREAD_CPU, "odradek", BARE_LOOP, "≤ 1.2"),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", PROCESS_CPU, "odradek", BARE_LOOP, "≤ 1.2"),
        // Without a budget stock has the same settings as ours, so nothing is left to tune.
        new Aim("signalfx", ".*linger 5 ms", "linger 5 ms", THREAD_CPU, "odradek", STOCK, "≤ 0.33"),
        new Aim("signalfx", budget(5, 10), "linger 5 ms, budget 10 ms", THREAD_CPU, "odradek", STOCK_TUNED, "≤ 0.33"),
        new Aim("signalfx-tls", EVERY, "every case", ALLOCATED, "odradek", NOBODY, "0"),
        new Aim("budget", "1 ms", "1 ms", P50_ADDED, "odradek", NOBODY, "≤ 1000"),
        new Aim("budget", "2 ms", "2 ms", P50_ADDED, "odradek", NOBODY, "≤ 2000"),
        new Aim("budget", "5 ms", "5 ms", P50_ADDED, "odradek", NOBODY, "≤ 5000"),
        new Aim("budget", "10 ms", "10 ms", P50_ADDED, "odradek", NOBODY, "≤ 10000"),
        new Aim("budget", "50 ms", "50 ms", P50_ADDED, "odradek", NOBODY, "≤ 50000"),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-1ms", OWN_DEFAULT, "≤ 1.05"),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-2ms", OWN_DEFAULT, "≤ 1.05"),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-5ms", OWN_DEFAULT, "≤ 1.05"),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-10ms", OWN_DEFAULT, "≤ 1.05"),
        new Aim("idle", EVERY, "every case", THREAD_CPU, "odradek", STOCK, "≤ 0.25"),
        new Aim("idle", EVERY, "every case", ALLOCATED, "odradek", NOBODY, "0"),
        // CPU is that of the whole process: some rivals fetch on threads of their own.
        new Aim("catchup", "23 B", "23 B", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 5.5"),
        new Aim("catchup", "100 B", "100 B", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 4.5"),
        new Aim("catchup", "1000 B", "1000 B", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 1.7"),
        new Aim("catchup", "100 B, lz4", "100 B, lz4", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 2"),
        new Aim("catchup", "100 B, lz4", "100 B, lz4", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 0.5"),
        new Aim("catchup", "100 B, zstd", "100 B, zstd", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 2"),
        new Aim("catchup", "100 B, zstd", "100 B, zstd", PROCESS_CPU_PER_RECORD, "odradek", BEST_RIVAL, "≤ 0.5"),
        new Aim("catchup", "[0-9]+ B", ONE_PARTITION, RECORDS_PER_SECOND, "odradek", BARE_LOOP, "≥ 0.9"),
        new Aim("catchup", "[0-9]+ B", ONE_PARTITION, PROCESS_CPU_PER_RECORD, "odradek", BARE_LOOP, "≤ 1"),
        new Aim("catchup-tls", "100 B", "100 B", PROCESS_CPU_PER_RECORD, "odradek", TLS_RIVALS, "≤ 0.4"),
        new Aim("catchup-tls", "1000 B", "1000 B", PROCESS_CPU_PER_RECORD, "odradek", STOCK, "≤ 0.55"),
        new Aim("catchup-tls", "1000 B", "1000 B", PROCESS_CPU_PER_RECORD, "odradek", LIBRDKAFKA, "≤ 0.85"),
        new Aim("catchup-tls", EVERY, "every case", RECORDS_PER_SECOND, "odradek", BEST_RIVAL, "≥ 0.95"),
        new Aim("catchup-tls", EVERY, "every case", ALLOCATED_PER_RECORD, "odradek", NOBODY, "0"),
        new Aim("latency", EVERY, SPINNING, P50, "odradek-spin", BARE_LOOP, "≤ 1.2"),
        new Aim("latency", EVERY, SPINNING, P50, "odradek-spin", STOCK, "< 1"),
        new Aim("latency", EVERY, SPINNING, P99, "odradek-spin", BARE_LOOP, "≤ 1.2"),
        new Aim("latency", EVERY, SPINNING, P99, "odradek-spin", STOCK, "< 1"),
        // On two cores the article's own client held none, and Chronicle Queue about 100.
        new Aim("chain", HELD, HELD, CHAINS, "odradek-per-service", NOBODY, "≥ 5"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-multiplexed", NOBODY, "≥ 25"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-shared", NOBODY, "≥ 100"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-shared", STOCK_SHARED, "≥ 1.25"),
        new Aim("groups", "idle.*", "idle member", PROCESS_CPU, "odradek", STOCK_NEW, "≤ 0.2"),
        new Aim("many", "1000 partitions", "1,000 partitions", PROCESS_CPU, "odradek", STOCK, "≤ 0.3"),
        new Aim("many", EVERY, "every case", ALLOCATED, "odradek", NOBODY, "0"),
        new Aim("flink", "23 B, chained", "23 B, chained", RECORDS_PER_SECOND, "odradek-flink", FLINK_KAFKA, "≥ 4"),
        new Aim("flink", "23 B, chained", "23 B, chained", PROCESS_CPU_PER_RECORD, "odradek-flink", FLINK_KAFKA,
            "≤ 1/5"),
        new Aim("flink", "23 B, keyed", "23 B, keyed", RECORDS_PER_SECOND, "odradek-flink", FLINK_KAFKA, "≥ 2"),
        new Aim("flink", "23 B, keyed", "23 B, keyed", PROCESS_CPU_PER_RECORD, "odradek-flink", FLINK_KAFKA, "≤ 0.5"),
        new Aim("flink", "[0-9]+/s.*", "trickle", PROCESS_CPU, "odradek-flink", FLINK_KAFKA, "≤ 1"),
        new Aim("flink", "[0-9]+/s.*", "trickle", P50_OVER_CONNECTOR, "odradek-flink", NOBODY, "≤ 1000"));

    private Aims()
    {
    }

    private static String budget(final int lingerMs, final int budgetMs)
    {
        return ".*linger " + lingerMs + " ms, budget " + budgetMs + " ms";
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
            return isAbsolute() ? "absolute" : rivals.equals(BEST_RIVAL) ? Rival.BEST.title() :
                rivals.stream().map(Rival::title).collect(Collectors.joining(" and "));
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
