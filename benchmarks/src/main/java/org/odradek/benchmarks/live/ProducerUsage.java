/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.live;

import com.fasterxml.jackson.databind.JsonNode;
import org.HdrHistogram.Histogram;

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
}
