// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import com.fasterxml.jackson.databind.JsonNode;
import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.List;

/**
 * What the paced producer did between {@code measure} and {@code stop}.
 *
 * @param sent           records handed to the stock producer.
 * @param unacknowledged of all records since {@code run}, after a flush; 0 unless something is wrong.
 * @param wallNs         the time between.
 * @param processCpuNs   CPU of its JVM.
 * @param worstLagNs     how late it was at worst.
 * @param lag            a histogram of how late each record was sent, in Base64.
 */
public record ProducerUsage(
    long sent, long unacknowledged, long wallNs, long processCpuNs, long worstLagNs, String lag)
{
    private static final String CLIENT = "producer";
    private static final double NS_PER_US = 1_000;

    static ProducerUsage parse(final JsonNode json)
    {
        return new ProducerUsage(json.path("sent").asLong(), json.path("unacknowledged").asLong(),
            json.path("wallNs").asLong(), json.path("processCpuNs").asLong(), json.path("worstLagNs").asLong(),
            json.path("lag").asText());
    }

    /**
     * @return nanoseconds from when a record was to be sent to when the stock producer got it.
     */
    public Histogram lagHistogram()
    {
        return Latencies.decode(lag);
    }

    public double recordsPerSecond()
    {
        return sent * 1e9 / wallNs;
    }

    /**
     * @return rows of the client {@code producer}: its rate, and how late it was. Its lag is in every client's latency.
     */
    public List<Row> rows(final String scenario, final String caseName)
    {
        final Histogram lags = lagHistogram();
        return List.of(
            row(scenario, caseName, "recordsPerSecond", "records/s", recordsPerSecond()),
            row(scenario, caseName, "lagP50Us", "us", lags.getValueAtPercentile(50) / NS_PER_US),
            row(scenario, caseName, "lagP99Us", "us", lags.getValueAtPercentile(99) / NS_PER_US),
            row(scenario, caseName, "lagMaxUs", "us", worstLagNs / NS_PER_US),
            row(scenario, caseName, "processCpuPercent", "%", 100.0 * processCpuNs / wallNs));
    }

    private static Row row(
        final String scenario, final String caseName, final String metric, final String unit, final double value)
    {
        return new Row(scenario, caseName, CLIENT, metric, unit, Summary.of(value));
    }
}
