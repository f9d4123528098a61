// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.P50;
import static org.odradek.benchmarks.report.Metric.P99;
import static org.odradek.benchmarks.report.Metric.P999;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.RECORDS_PER_SECOND;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.IntervalLog;
import org.odradek.benchmarks.report.IntervalLog.Interval;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;

/**
 * Round by round and client by client, level after level, the search for the highest rate. A client is one consumer for
 * each partition, each in its own JVM.
 */
final class SleRun
{
    static final int PARTITIONS = 3;
    /** Of each partition's log: more than a minute of what two cores can write, so nobody reads what is deleted. */
    static final int KEPT_BYTES = 1 << 30;
    private static final Settings SHARED = Arms.LIVE.with("valueLength", 1_000, "lingerMs", 0, "acks", "1");
    private static final double US_PER_MS = 1e3;

    private final List<Child> producers = new ArrayList<>();
    private final List<Probe> probes = new ArrayList<>();
    private final Plan plan;
    private final Settings settings;
    private final Consumer<String> progress;

    /**
     * What is promised: a percentile that stays below a limit.
     *
     * @param caseName   in rows.
     * @param percentile that is held,
     * @param limitMs    below this,
     * @param seconds    in a window of this length.
     * @param halvings   of the gap between the rate that kept it and the one that did not.
     */
    record Level(String caseName, double percentile, int limitMs, int seconds, int halvings)
    {
        boolean isKeptBy(final Usage usage)
        {
            return usage.hasLatency() &&
                usage.latencyHistogram().getValueAtPercentile(percentile) < TimeUnit.MILLISECONDS.toNanos(limitMs);
        }
    }

    /**
     * How often clients take turns, and how long they run before anything is kept of it.
     *
     * @param rounds               turns of each client, all levels in each.
     * @param firstPracticeSeconds before the first turn of all: brokers and producers are cold as well.
     * @param practiceSeconds      before each other turn, at the first rate.
     * @param warmUpSeconds        of each rate, before its window.
     */
    record Timing(int rounds, int firstPracticeSeconds, int practiceSeconds, int warmUpSeconds)
    {
    }

    /**
     * What is looked for, and how closely.
     *
     * @param levels      one after the other.
     * @param arms        that take turns.
     * @param timing      of their turns.
     * @param firstRate   records a second over all partitions, doubled while it is kept.
     * @param highestRate that is tried.
     * @param jvm         in which the clients run. Brokers and producers run on this one.
     */
    record Plan(List<Level> levels, List<Arm> arms, Timing timing, int firstRate, int highestRate, Child.Jvm jvm)
    {
        Map<String, Object> settings()
        {
            final Map<String, Object> settings = new LinkedHashMap<>();
            settings.put("partitions", PARTITIONS);
            settings.put("keptBytesPerPartition", KEPT_BYTES);
            settings.put("producers", PARTITIONS);
            settings.put("consumers", PARTITIONS);
            settings.put("levels", levels.stream().map(Level::caseName).toList());
            settings.put("clients", arms.stream().map(Arm::name).toList());
            settings.put("firstRate", firstRate);
            settings.put("halvings", levels.stream().map(Level::halvings).toList());
            settings.put("rounds", timing.rounds());
            settings.put("firstPracticeSeconds", timing.firstPracticeSeconds());
            settings.put("practiceSeconds", timing.practiceSeconds());
            settings.put("warmUpSeconds", timing.warmUpSeconds());
            settings.putAll(SHARED.values());
            settings.put("clientJvmFlags", jvm.flags());
            return settings;
        }
    }

    /**
     * One rate tried once.
     *
     * @param round  in which turn of its client, from 0.
     * @param client its name in rows.
     * @param rate   records a second over all partitions.
     * @param isKept whether the level was.
     * @param usage  of all consumers: their latencies together, their CPU added up.
     */
    record Probe(int round, Level level, String client, int rate, boolean isKept, Usage usage)
    {
    }

    SleRun(final Plan plan, final Cluster cluster, final String topic, final Consumer<String> progress)
    {
        this.plan = plan;
        this.progress = progress;
        settings = SHARED.with("bootstrap", cluster.bootstrap(), "topic", topic);
    }

    /**
     * @param json the report's file, beside which histogram logs are written, or null for none.
     */
    Results run(final Path json) throws InterruptedException, IOException
    {
        try
        {
            for (int partition = 0; partition < PARTITIONS; partition++)
            {
                producers.add(Child.producer(settings.with("partitions", partition, "recordsPerSecond", 1)));
            }
            producers.forEach(Child::awaitStart);
            int practiceSeconds = plan.timing().firstPracticeSeconds();
            for (int round = 0; round < plan.timing().rounds(); round++)
            {
                for (final int index : TurnOrder.ofRound(round, plan.arms().size()))
                {
                    turn(round, plan.arms().get(index), practiceSeconds);
                    practiceSeconds = plan.timing().practiceSeconds();
                }
            }
        }
        finally
        {
            producers.forEach(Child::close);
        }
        final Results results = new Results();
        results.rows().addAll(rows(probes));
        if (json != null)
        {
            results.attachments().addAll(writeLogs(json));
        }
        return results;
    }

    /**
     * @return every rate that was tried, in the order of trying.
     */
    List<Probe> probes()
    {
        return probes;
    }

    private void turn(final int round, final Arm arm, final int practiceSeconds) throws InterruptedException
    {
        final List<Child> consumers = new ArrayList<>();
        try
        {
            for (int partition = 0; partition < PARTITIONS; partition++)
            {
                consumers.add(arm.start(settings.with("partitions", partition), plan.jvm()));
            }
            consumers.forEach(Child::awaitStart);
            start(consumers, plan.firstRate(), practiceSeconds);
            stop(consumers);
            int firstRate = plan.firstRate();
            for (final Level level : plan.levels())
            {
                final RateSearch search = new RateSearch(firstRate, plan.highestRate(), level.halvings());
                while (!search.isDone())
                {
                    search.answer(probe(round, level, arm.name(), search.next(), consumers).isKept());
                }
                // The next level is tighter, so it breaks near where this one does or below.
                firstRate = Math.max(plan.firstRate(), search.held() / 2);
            }
        }
        finally
        {
            consumers.forEach(Child::close);
        }
    }

    /**
     * A consumer that is behind at the end of the window shows it in its latencies, because a record's latency counts
     * from when it was due.
     */
    private Probe probe(
        final int round, final Level level, final String client, final int rate, final List<Child> consumers)
        throws InterruptedException
    {
        start(consumers, rate, plan.timing().warmUpSeconds());
        TimeUnit.SECONDS.sleep(level.seconds());
        final Usage usage = stop(consumers);
        final Probe probe = new Probe(round, level, client, rate, level.isKeptBy(usage), usage);
        probes.add(probe);
        progress.accept(String.format(Locale.ROOT, "round %d of %d, %s, %s, %,d/s: %s, p%s %.1f ms",
            round + 1, plan.timing().rounds(), level.caseName(), client, rate, probe.isKept() ? "kept" : "not kept",
            String.valueOf(level.percentile()).replaceFirst("\\.0$", ""),
            usage.latencyUs(level.percentile()) / US_PER_MS));
        return probe;
    }

    /** Returns when what comes from then on counts. */
    private void start(final List<Child> consumers, final int rate, final int seconds) throws InterruptedException
    {
        consumers.forEach(Child::run);
        producers.forEach(producer -> producer.run(rate / producers.size()));
        Child.warmUp(consumers, seconds);
        producers.forEach(Child::measure);
        consumers.forEach(Child::measure);
    }

    private Usage stop(final List<Child> consumers)
    {
        final Usage sum = new Usage();
        final Histogram latency = Usage.histogram();
        sum.processCpuNs = 0;
        for (final Child consumer : consumers)
        {
            final Usage next = consumer.stop();
            latency.add(next.latencyHistogram());
            sum.records += next.records;
            sum.processCpuNs += next.processCpuNs;
            sum.wallNs += next.wallNs / consumers.size();
        }
        sum.latency = Usage.encode(latency);
        producers.forEach(Child::stop);
        return sum;
    }

    /** For each level and client the highest rate kept in each round, and what it was like there. */
    static List<Row> rows(final List<Probe> probes)
    {
        final int rounds = 1 + probes.stream().mapToInt(Probe::round).max().orElseThrow();
        final Map<Level, Map<String, Probe[]>> bestOfLevel = new LinkedHashMap<>();
        for (final Probe probe : probes)
        {
            final Probe[] ofRounds = bestOfLevel.computeIfAbsent(probe.level(), level -> new LinkedHashMap<>())
                .computeIfAbsent(probe.client(), client -> new Probe[rounds]);
            final Probe before = ofRounds[probe.round()];
            if (probe.isKept() && (before == null || probe.rate() > before.rate()))
            {
                ofRounds[probe.round()] = probe;
            }
        }
        final List<Row> rows = new ArrayList<>();
        bestOfLevel.forEach((level, clients) ->
        {
            final Rows ofLevel = new Rows(Sle.NAME, level.caseName());
            clients.forEach((client, best) ->
            {
                ofLevel.add(client, RECORDS_PER_SECOND,
                    Arrays.stream(best).mapToDouble(probe -> probe == null ? 0 : probe.rate()).toArray());
                // Of the rounds in which the level was kept at all.
                final Usage[] kept =
                    Arrays.stream(best).filter(probe -> probe != null).map(Probe::usage).toArray(Usage[]::new);
                ofLevel.add(Map.of(client, kept), new Metric[]{P50, P99, P999, PROCESS_CPU});
            });
            rows.addAll(ofLevel.addRatio(Arms.ODRADEK.name(), RECORDS_PER_SECOND, Rival.STOCK).list());
        });
        return rows;
    }

    /** A histogram log for each level and client: an interval for each rate tried, whose tag says the rate. */
    private List<Attachment> writeLogs(final Path json) throws IOException
    {
        final Map<Attachment, List<Interval>> logs = new LinkedHashMap<>();
        for (final Probe probe : probes)
        {
            final String level = probe.level().caseName();
            logs.computeIfAbsent(new Attachment(level + ", " + probe.client(), Attachment.HLOG,
                Attachment.fileName(Sle.NAME, level, probe.client(), "hlog")), log -> new ArrayList<>())
                .add(new Interval(probe.rate() + "-per-second", probe.usage().latencyHistogram(),
                    probe.level().seconds()));
        }
        for (final Map.Entry<Attachment, List<Interval>> next : logs.entrySet())
        {
            IntervalLog.write(json, next.getKey(), next.getValue());
        }
        return List.copyOf(logs.keySet());
    }
}
