// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.LiveRun;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** {@code bench signalfx}: what does it cost to read 5,000 or 10,000 small records a second, as metrics come in? */
@Command(name = "signalfx",
    description = "Reads a trickle of small records from one partition: CPU, bytes, collections, latency.")
@Facts(quickSeconds = 210, seconds = 4_200, tlsSeconds = 1_800, columns = {"threadCpuPercent", "processCpuPercent",
    "processCpuPercentToStock", "processCpuPercentToStockTuned", "allocatedBytes", "gcCount", "fetchesPerSecond",
    "threadCpuPerFetch", "threadCpuPerFetchToBareLoop", "threadCpuPerFetchToBareSelect", "latencyP50Us",
    "latencyP99Us"})
public final class Signalfx extends LiveScenario
{
    static final Settings SHARED = Arms.LIVE.with("valueLength", 23, "acks", "1");
    /** In a case with a budget all clients have it: ours as its setting, the others by settings that do the same. */
    private static final List<Case> CASES = List.of(plain(5_000, 0), budget(5_000, 0, 1), budget(5_000, 0, 2),
        plain(5_000, 5), budget(5_000, 5, 10), plain(10_000, 0), budget(10_000, 0, 1), budget(10_000, 0, 2),
        plain(10_000, 5), budget(10_000, 5, 10));
    private static final List<Case> TLS_CASES = CASES.subList(0, 5);
    private static final List<Case> QUICK_CASES = List.of(plain(5_000, 0), budget(5_000, 0, 1), plain(5_000, 5));
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_NEW,
        Arms.STOCK_PARKED, Arms.STOCK_TUNED, Arms.BARE_LOOP, Arms.BARE_SELECT, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_TUNED, Arms.LIBRDKAFKA);
    private static final List<Arm> TLS_ARMS = List.of(Arms.ODRADEK_BORINGSSL, Arms.ODRADEK_JDK, Arms.STOCK,
        Arms.STOCK_TUNED, Arms.BARE_LOOP, Arms.LIBRDKAFKA);
    private static final List<String> SAMPLED = List.of("odradek", "stock");

    @Option(names = "--tls", description = "Connect the clients with TLS; ours with both of its providers.")
    private boolean isTls;
    @Option(names = "--cases", paramLabel = "REGEX",
        description = "Only the cases whose names match, from those of the full form.")
    private String pattern;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.cases(pattern, !chosen().isEmpty(), CASES.get(0).name());
    }

    private List<Case> chosen()
    {
        final List<Case> all = isTls ? TLS_CASES : CASES;
        return pattern != null ? all.stream().filter((each) -> each.name().matches(pattern)).toList() :
            isQuick() ? QUICK_CASES : all;
    }

    @Override
    protected SecureListener listener()
    {
        return isTls ? SecureListener.SSL : null;
    }

    static Case linger(final int recordsPerSecond, final int lingerMs)
    {
        return new Case(recordsPerSecond + "/s, linger " + lingerMs + " ms", recordsPerSecond, lingerMs);
    }

    /** A case without a budget. Arms that differ from other arms only in a budget are left out. */
    private static Case plain(final int recordsPerSecond, final int lingerMs)
    {
        return new Case(linger(recordsPerSecond, lingerMs).name(), recordsPerSecond, lingerMs, Settings.NONE,
            List.of("odradek", "odradek-before", "odradek-before-again", "odradek-jdk", "stock",
            "stock-zgc", "stock-new", "stock-parked", "bare-loop", "bare-loop-select", "librdkafka"));
    }

    private static Case budget(final int recordsPerSecond, final int lingerMs, final int budgetMs)
    {
        return new Case(linger(recordsPerSecond, lingerMs).name() + ", budget " + budgetMs + " ms", recordsPerSecond,
            lingerMs, Settings.of(Arms.BUDGET_MS, budgetMs),
            List.of("odradek", "odradek-before", "odradek-before-again", "odradek-jdk", "stock-tuned", "bare-loop",
            "bare-loop-select", "librdkafka"));
    }

    static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        return rows.add(turns, Metric.USAGE).add(turns, Metric.PER_RECORD).add(turns, Metric.THREAD_CPU_PER_FETCH)
            .add(turns, Metric.LATENCY)
            .addRatios(List.of(Arms.ODRADEK.name(), Arms.ODRADEK_JDK.name()),
            List.of(Metric.THREAD_CPU, Metric.PROCESS_CPU, Metric.FETCHES, Metric.THREAD_CPU_PER_FETCH, Metric.P50,
                Metric.P99),
            Rival.STOCK, Rival.STOCK_TUNED, Rival.LIBRDKAFKA, Rival.BEST, Rival.BARE_LOOP, Rival.BARE_SELECT);
    }

    @Override
    protected Plan plan()
    {
        final Timing timing = timing(isQuick() ? new Timing(1, 5, 4, 1) : new Timing(5, 8, 15, 3));
        return new Plan(isTls ? name() + "-tls" : name(), chosen(),
            onChosenJvm(isTls ? TLS_ARMS : isQuick() ? QUICK_ARMS : ARMS), SHARED,
            timing, isForDrift() ? new FlameGraphs(List.of(), 0, 0) :
            isQuick() ? new FlameGraphs(SAMPLED, 2, 3) : new FlameGraphs(SAMPLED, 5, 15), Signalfx::rows);
    }

    /** {@code bench idle}: what does a waiting consumer cost, without any records and with one a second? */
    @Command(name = "idle",
        description = "Waits for records that hardly come: CPU and bytes a minute, an empty JVM beside.")
    @Facts(quickSeconds = 135, seconds = 1_800, columns = {"threadCpuPerMinute", "threadCpuPerMinuteToStock",
        "processCpuPerMinute", "allocatedBytesPerMinute", "processAllocatedBytesPerMinute", "fetchesPerSecond"})
    public static final class Idle extends LiveScenario
    {
        static final List<Case> CASES = List.of(new Case("no records", 0, 0), new Case("1/s", 1, 0));
        /** Its polls end as those of ours do; in its read it would wait until the broker's answer. */
        static final Arm BARE_POLLING = Arms.BARE_SELECT.as("bare-loop");
        private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_DEFAULTS, Arms.STOCK_NEW,
            BARE_POLLING, Arms.BARE_LOOP.as("bare-loop-blocking"), Arms.EMPTY_JVM, Arms.LIBRDKAFKA);
        /** The stock client with its own defaults is left out: on an idle topic they make no difference. */
        private static final List<Arm> QUICK_ARMS =
            List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_NEW, Arms.EMPTY_JVM, Arms.LIBRDKAFKA);

        static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
        {
            return rows.add(turns, Metric.USAGE).add(turns, Metric.PER_MINUTE).addRatios(List.of(Arms.ODRADEK.name()),
                List.of(Metric.THREAD_CPU_PER_MINUTE, Metric.PROCESS_CPU_PER_MINUTE), Rival.STOCK, Rival.LIBRDKAFKA,
                Rival.BEST, Rival.BARE_LOOP);
        }

        @Override
        protected Plan plan()
        {
            return new Plan(name(), CASES, onChosenJvm(isQuick() ? QUICK_ARMS : ARMS),
                SHARED.with(PRACTICE_SECONDS, isQuick() ? 2 : 15),
                timing(isQuick() ? new Timing(1, 5, 1, 1) : new Timing(5, 15, 3, 3)), Idle::rows);
        }
    }

    /** {@code bench many}: what does one consumer of hundreds of partitions cost, itself and its three brokers? */
    @Command(name = "many",
        description = "Reads a trickle of small records from hundreds of partitions on three brokers.")
    @Facts(quickSeconds = 120, seconds = 1_900, columns = {"threadCpuPercent", "processCpuPercent",
        "processCpuPercentToStock", "allocatedBytes", "fetchesPerSecond", "brokerCpuPercent", "latencyP50Us",
        "latencyP99Us"})
    public static final class Many extends LiveScenario
    {
        private static final int BROKERS = 3;
        private static final int RECORDS_PER_SECOND = 10_000;
        private static final int LINGER_MS = 5;
        private static final int[] PARTITIONS = {300, 1_000};
        private static final List<Arm> ARMS = List.of(
            Arms.ODRADEK, Arms.withBudget(Arms.ODRADEK, 2), Arms.STOCK, Arms.STOCK_DEFAULTS,
            Arms.withBudget(Arms.STOCK_TUNED, 2), Arms.STOCK_NEW, Arms.LIBRDKAFKA);
        private static final List<Arm> QUICK_ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.LIBRDKAFKA);

        @Override
        protected Plan plan()
        {
            return plan(PARTITIONS);
        }

        /** A topic is made for each number of partitions. */
        private Plan plan(final int... counts)
        {
            final List<Case> cases = IntStream.of(counts)
                .mapToObj((count) -> new Case(count + " partitions", RECORDS_PER_SECOND, LINGER_MS)).toList();
            return new Plan(name(), cases, onChosenJvm(isQuick() ? QUICK_ARMS : ARMS),
                SHARED.with("partitionCount", counts[0], PRODUCER_WARM_UP_SECONDS, 10),
                timing(isQuick() ? new Timing(1, 5, 6, 2) : new Timing(5, 8, 15, 3)), Signalfx::rows);
        }

        @Override
        protected Map<String, Object> settings()
        {
            final Map<String, Object> settings = super.settings();
            settings.putAll(Environment.ordered("brokers", bootstrap() == null ? BROKERS : "given",
                "recordsPerSecond", RECORDS_PER_SECOND, "producerLingerMs", LINGER_MS, "partitionCount", PARTITIONS));
            return settings;
        }

        @Override
        protected List<BrokerSettings> brokers()
        {
            // One replica: what brokers do for each other is in no figure. Indexes of 1 MB: ext4 takes 2 to 30 ms for
            // the first entry of one of 10 MB, so brokers would answer nobody for 25 s when 1,000 partitions begin.
            return Collections.nCopies(BROKERS, new BrokerSettings().set("default.replication.factor", "1")
                .set("log.index.size.max.bytes", "1048576"));
        }

        @Override
        protected Results run(final Cluster cluster) throws InterruptedException, IOException
        {
            final Results all = new Results();
            for (final int count : PARTITIONS)
            {
                all.add(new LiveRun(plan(count), cluster, json(), this::say).run());
            }
            return all;
        }
    }
}
