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
import static org.odradek.benchmarks.report.Rival.BARE_LOOP;
import static org.odradek.benchmarks.report.Rival.FLINK_KAFKA;
import static org.odradek.benchmarks.report.Rival.LIBRDKAFKA;
import static org.odradek.benchmarks.report.Rival.OWN_DEFAULT;
import static org.odradek.benchmarks.report.Rival.STOCK;
import static org.odradek.benchmarks.report.Rival.STOCK_NEW;
import static org.odradek.benchmarks.report.Rival.STOCK_SHARED;
import static org.odradek.benchmarks.report.Rival.STOCK_TUNED;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The table of all aims. Ratios are taken in one run, on two cores, with broker and producer on the same machine.
 */
public final class Aims
{
    static final Rival[] BEST_RIVAL = {STOCK, STOCK_NEW, LIBRDKAFKA};
    private static final String EVERY = ".*";
    /** In slower cases one fetch more or less is more than the bound; the scenario itself fails if there are two. */
    private static final String COUNTABLE = "[0-9]{3,}/s.*";
    private static final String ONE_PARTITION = "one partition, uncompressed, each size";
    private static final String SPINNING = "every rate, spinning";
    private static final String HELD = "highest held";

    /** In the order of the scenarios. */
    static final List<Aim> ALL = List.of(
        new Aim("signalfx", EVERY, "every case", ALLOCATED, "odradek", "0"),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", THREAD_CPU, "odradek", "≤ 0.3", STOCK_TUNED),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", PROCESS_CPU, "odradek", "≤ 0.3", STOCK_TUNED),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", THREAD_CPU, "odradek", "≤ 0.4", STOCK_TUNED),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", PROCESS_CPU, "odradek", "≤ 0.4", STOCK_TUNED),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", THREAD_CPU, "odradek", "≤ 1.2", BARE_LOOP),
        new Aim("signalfx", budget(0, 1), "linger 0, budget 1 ms", PROCESS_CPU, "odradek", "≤ 1.2", BARE_LOOP),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", THREAD_CPU, "odradek", "≤ 1.2", BARE_LOOP),
        new Aim("signalfx", budget(0, 2), "linger 0, budget 2 ms", PROCESS_CPU, "odradek", "≤ 1.2", BARE_LOOP),
        // Without a budget stock has the same settings as ours, so nothing is left to tune.
        new Aim("signalfx", ".*linger 5 ms", "linger 5 ms", THREAD_CPU, "odradek", "≤ 0.33", STOCK),
        new Aim("signalfx", budget(5, 10), "linger 5 ms, budget 10 ms", THREAD_CPU, "odradek", "≤ 0.33", STOCK_TUNED),
        new Aim("signalfx-tls", EVERY, "every case", ALLOCATED, "odradek", "0"),
        new Aim("budget", "1 ms", "1 ms", P50_ADDED, "odradek", "≤ 1000"),
        new Aim("budget", "2 ms", "2 ms", P50_ADDED, "odradek", "≤ 2000"),
        new Aim("budget", "5 ms", "5 ms", P50_ADDED, "odradek", "≤ 5000"),
        new Aim("budget", "10 ms", "10 ms", P50_ADDED, "odradek", "≤ 10000"),
        new Aim("budget", "50 ms", "50 ms", P50_ADDED, "odradek", "≤ 50000"),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-1ms", "≤ 1.05", OWN_DEFAULT),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-2ms", "≤ 1.05", OWN_DEFAULT),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-5ms", "≤ 1.05", OWN_DEFAULT),
        new Aim("sweep", COUNTABLE, "100/s and more", FETCHES, "odradek-10ms", "≤ 1.05", OWN_DEFAULT),
        new Aim("idle", EVERY, "every case", THREAD_CPU, "odradek", "≤ 0.25", STOCK),
        new Aim("idle", EVERY, "every case", ALLOCATED, "odradek", "0"),
        // CPU is that of the whole process: some rivals fetch on threads of their own.
        new Aim("catchup", "23 B", "23 B", RECORDS_PER_SECOND, "odradek", "≥ 5.5", BEST_RIVAL),
        new Aim("catchup", "100 B", "100 B", RECORDS_PER_SECOND, "odradek", "≥ 4.5", BEST_RIVAL),
        new Aim("catchup", "1000 B", "1000 B", RECORDS_PER_SECOND, "odradek", "≥ 1.7", BEST_RIVAL),
        new Aim("catchup", "100 B, lz4", "100 B, lz4", RECORDS_PER_SECOND, "odradek", "≥ 2", BEST_RIVAL),
        new Aim("catchup", "100 B, lz4", "100 B, lz4", PROCESS_CPU_PER_RECORD, "odradek", "≤ 0.5", BEST_RIVAL),
        new Aim("catchup", "100 B, zstd", "100 B, zstd", RECORDS_PER_SECOND, "odradek", "≥ 2", BEST_RIVAL),
        new Aim("catchup", "100 B, zstd", "100 B, zstd", PROCESS_CPU_PER_RECORD, "odradek", "≤ 0.5", BEST_RIVAL),
        new Aim("catchup", "[0-9]+ B", ONE_PARTITION, RECORDS_PER_SECOND, "odradek", "≥ 0.9", BARE_LOOP),
        new Aim("catchup", "[0-9]+ B", ONE_PARTITION, PROCESS_CPU_PER_RECORD, "odradek", "≤ 1", BARE_LOOP),
        new Aim("catchup-tls", "100 B", "100 B", PROCESS_CPU_PER_RECORD, "odradek", "≤ 0.4", STOCK, LIBRDKAFKA),
        new Aim("catchup-tls", "1000 B", "1000 B", PROCESS_CPU_PER_RECORD, "odradek", "≤ 0.55", STOCK),
        new Aim("catchup-tls", "1000 B", "1000 B", PROCESS_CPU_PER_RECORD, "odradek", "≤ 0.85", LIBRDKAFKA),
        new Aim("catchup-tls", EVERY, "every case", RECORDS_PER_SECOND, "odradek", "≥ 0.95", BEST_RIVAL),
        new Aim("catchup-tls", EVERY, "every case", ALLOCATED_PER_RECORD, "odradek", "0"),
        new Aim("latency", EVERY, SPINNING, P50, "odradek-spin", "≤ 1.2", BARE_LOOP),
        new Aim("latency", EVERY, SPINNING, P50, "odradek-spin", "< 1", STOCK),
        new Aim("latency", EVERY, SPINNING, P99, "odradek-spin", "≤ 1.2", BARE_LOOP),
        new Aim("latency", EVERY, SPINNING, P99, "odradek-spin", "< 1", STOCK),
        // On two cores the article's own client held none, and Chronicle Queue about 100.
        new Aim("chain", HELD, HELD, CHAINS, "odradek-per-service", "≥ 5"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-multiplexed", "≥ 25"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-shared", "≥ 100"),
        new Aim("chain", HELD, HELD, CHAINS, "odradek-shared", "≥ 1.25", STOCK_SHARED),
        new Aim("groups", "idle.*", "idle member", PROCESS_CPU, "odradek", "≤ 0.2", STOCK_NEW),
        new Aim("many", "1000 partitions", "1,000 partitions", PROCESS_CPU, "odradek", "≤ 0.3", STOCK),
        new Aim("many", EVERY, "every case", ALLOCATED, "odradek", "0"),
        new Aim("flink", "23 B, chained", "23 B, chained", RECORDS_PER_SECOND, "odradek-flink", "≥ 4", FLINK_KAFKA),
        new Aim("flink", "23 B, chained", "23 B, chained", PROCESS_CPU_PER_RECORD,
            "odradek-flink", "≤ 1/5", FLINK_KAFKA),
        new Aim("flink", "23 B, keyed", "23 B, keyed", RECORDS_PER_SECOND, "odradek-flink", "≥ 2", FLINK_KAFKA),
        new Aim("flink", "23 B, keyed", "23 B, keyed", PROCESS_CPU_PER_RECORD, "odradek-flink", "≤ 0.5", FLINK_KAFKA),
        new Aim("flink", "[0-9]+/s.*", "trickle", PROCESS_CPU, "odradek-flink", "≤ 1", FLINK_KAFKA),
        new Aim("flink", "[0-9]+/s.*", "trickle", P50_OVER_CONNECTOR, "odradek-flink", "≤ 1000"));

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
     * @param wanted     the bound of the ratio or of the figure: ≥, ≤ or &lt; and a number or a quotient; 0 for none.
     * @param rivals     whose best figure it is divided by; none if the figure itself is bounded.
     */
    record Aim(String scenario, String cases, String casesTitle, Metric metric, String client, String wanted,
        List<Rival> rivals)
    {
        Aim(final String scenario, final String cases, final String casesTitle, final Metric metric,
            final String client, final String wanted, final Rival... rivals)
        {
            this(scenario, cases, casesTitle, metric, client, wanted, List.of(rivals));
        }

        boolean isAbsolute()
        {
            return rivals.isEmpty();
        }

        boolean isOfDefault()
        {
            return client.equals("odradek");
        }

        boolean isAgainstBest()
        {
            return rivals.equals(List.of(BEST_RIVAL));
        }

        /**
         * @return whom ours is compared with, in words.
         */
        String against()
        {
            return isAbsolute() ? "absolute" : isAgainstBest() ? Rival.BEST.title :
                rivals.stream().map(rival -> rival.title).collect(Collectors.joining(" and "));
        }

        boolean isAtLeast()
        {
            return wanted.startsWith("≥");
        }

        double bound()
        {
            final String[] quotient = wanted.replaceAll("[≥≤< ]", "").split("/");
            return Double.parseDouble(quotient[0]) / (quotient.length == 1 ? 1 : Double.parseDouble(quotient[1]));
        }

        boolean isMetBy(final double figure)
        {
            return isAtLeast() ? figure >= bound() : wanted.startsWith("<") ? figure < bound() : figure <= bound();
        }
    }
}
