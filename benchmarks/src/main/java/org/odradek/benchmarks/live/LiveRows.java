// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * From the turns of one case to its rows. A figure that a client does not know has no row.
 */
public final class LiveRows
{
    public static final String THREAD_CPU = "threadCpuPercent";
    public static final String PROCESS_CPU = "processCpuPercent";
    public static final String ALLOCATED = "allocatedBytes";
    public static final String FETCHES = "fetchesPerSecond";
    public static final String TO_STOCK = "ToStock";
    public static final String TO_LIBRDKAFKA = "ToLibrdkafka";
    public static final String TO_BEST_RIVAL = "ToBestRival";
    public static final String TO_BARE_LOOP = "ToBareLoop";
    public static final String LIBRDKAFKA = "librdkafka";

    static final List<String> OURS = List.of(ClientKind.ODRADEK.client(), ClientKind.ODRADEK_PACED.client());
    static final List<String> STOCK = List.of(ClientKind.STOCK.client(), ClientKind.STOCK_DEFAULTS.client());
    static final List<String> BARE_LOOP = List.of(ClientKind.BARE_LOOP.client());
    static final List<String> RIVALS = List.of(ClientKind.STOCK.client(), ClientKind.STOCK_DEFAULTS.client(),
        ClientKind.STOCK_NEW.client(), LIBRDKAFKA);

    private static final double NS_PER_US = 1_000;
    private static final double PERCENT_TO_MS_PER_MINUTE = 600;
    private static final int SECONDS_PER_MINUTE = 60;

    private final String scenario;
    private final String caseName;
    private final Map<String, Turn[]> turns;
    private final List<Row> rows = new ArrayList<>();
    private final Map<String, Map<String, double[]>> values = new HashMap<>(); // by metric, then by client

    /**
     * @param turns of each client by its name, as many for each.
     */
    public LiveRows(final String scenario, final String caseName, final Map<String, Turn[]> turns)
    {
        this.scenario = scenario;
        this.caseName = caseName;
        this.turns = turns;
    }

    public List<Row> rows()
    {
        return rows;
    }

    /**
     * CPU, bytes, collections and fetches of every client.
     */
    public LiveRows addUsage()
    {
        add("recordsPerSecond", "records/s", usage -> usage.perSecond(usage.records()));
        add(THREAD_CPU, "%", usage -> usage.cpuPercent(usage.threadCpuNs()));
        add(PROCESS_CPU, "%", usage -> usage.cpuPercent(usage.processCpuNs()));
        add(ALLOCATED, "bytes", usage -> known(usage.allocatedBytes()));
        add("processAllocatedBytes", "bytes", usage -> known(usage.processAllocatedBytes()));
        add("gcCount", "collections", usage -> known(usage.gcCount()));
        add(FETCHES, "fetches/s", usage -> usage.perSecond(usage.fetches()));
        addTurns("brokerCpuPercent", "%", Turn::brokerCpuPercent);
        return this;
    }

    /**
     * CPU and bytes for each record.
     */
    public LiveRows addPerRecord()
    {
        add("threadCpuPerRecord", "ns/record", usage -> usage.perRecord(usage.threadCpuNs()));
        add("processCpuPerRecord", "ns/record", usage -> usage.perRecord(usage.processCpuNs()));
        add("allocatedBytesPerRecord", "bytes/record", usage -> usage.perRecord(usage.allocatedBytes()));
        return this;
    }

    /**
     * CPU and bytes for each minute.
     */
    public LiveRows addPerMinute()
    {
        add("threadCpuPerMinute", "ms/min", usage -> PERCENT_TO_MS_PER_MINUTE * usage.cpuPercent(usage.threadCpuNs()));
        add("processCpuPerMinute", "ms/min",
            usage -> PERCENT_TO_MS_PER_MINUTE * usage.cpuPercent(usage.processCpuNs()));
        add("allocatedBytesPerMinute", "bytes/min",
            usage -> SECONDS_PER_MINUTE * usage.perSecond(usage.allocatedBytes()));
        add("processAllocatedBytesPerMinute", "bytes/min",
            usage -> SECONDS_PER_MINUTE * usage.perSecond(usage.processAllocatedBytes()));
        return this;
    }

    /**
     * Percentiles of each client that got records.
     */
    public LiveRows addLatency()
    {
        addPercentile("latencyP50Us", 50);
        addPercentile("latencyP90Us", 90);
        addPercentile("latencyP99Us", 99);
        addPercentile("latencyP999Us", 99.9);
        addPercentile("latencyP9999Us", 99.99);
        addPercentile("latencyMaxUs", 100);
        return this;
    }

    /**
     * Ours divided by a rival, turn by turn of the same round. Of several rivals the one with the least median is
     * taken; where none has that figure there is no row.
     *
     * @param metrics that were added before, of which less is better.
     */
    public LiveRows addRatios(final String... metrics)
    {
        for (final String metric : metrics)
        {
            for (final String client : OURS)
            {
                addRatio(client, metric, TO_STOCK, STOCK);
                addRatio(client, metric, TO_LIBRDKAFKA, List.of(LIBRDKAFKA));
                addRatio(client, metric, TO_BEST_RIVAL, RIVALS);
                addRatio(client, metric, TO_BARE_LOOP, BARE_LOOP);
            }
        }
        return this;
    }

    private void addPercentile(final String metric, final double percentile)
    {
        add(metric, "us", usage -> usage.records() <= 0 || usage.latency().isEmpty() ? Double.NaN :
            usage.latencyHistogram().getValueAtPercentile(percentile) / NS_PER_US);
    }

    private static double known(final long figure)
    {
        return figure == Usage.UNKNOWN ? Double.NaN : figure;
    }

    private void add(final String metric, final String unit, final ToDoubleFunction<Usage> figure)
    {
        addTurns(metric, unit, turn -> figure.applyAsDouble(turn.usage()));
    }

    private void addTurns(final String metric, final String unit, final ToDoubleFunction<Turn> figure)
    {
        turns.forEach((client, ofClient) ->
        {
            final double[] figures = Arrays.stream(ofClient).mapToDouble(figure).toArray();
            if (Arrays.stream(figures).noneMatch(Double::isNaN))
            {
                values.computeIfAbsent(metric, key -> new HashMap<>()).put(client, figures);
                rows.add(new Row(scenario, caseName, client, metric, unit, Summary.of(figures)));
            }
        });
    }

    /**
     * One client divided by the best of others, turn by turn of the same round; no row where one of them has no such
     * figure.
     *
     * @param client whose row it is.
     * @param metric that was added before, of which less is better.
     * @param suffix of the row's metric.
     * @param rivals to divide by, the one with the least median.
     */
    public void addRatio(final String client, final String metric, final String suffix, final List<String> rivals)
    {
        final Map<String, double[]> ofMetric = values.getOrDefault(metric, Map.of());
        final double[] ours = ofMetric.get(client);
        double[] best = null;
        for (final String rival : rivals)
        {
            final double[] theirs = ofMetric.get(rival);
            if (theirs != null && (best == null || Summary.of(theirs).median() < Summary.of(best).median()))
            {
                best = theirs;
            }
        }
        if (ours != null && best != null && Arrays.stream(best).allMatch(value -> value > 0))
        {
            rows.add(new Row(scenario, caseName, client, metric + suffix, "ratio", Summary.ofRatios(ours, best)));
        }
    }
}
