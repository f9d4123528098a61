// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import com.fasterxml.jackson.databind.JsonNode;
import org.HdrHistogram.Histogram;

/**
 * What a client read and cost between {@code measure} and {@code stop}; the package's page says what each field is. A
 * figure that the client does not know is {@link #UNKNOWN}.
 */
public record Usage(
    long records,
    long bytes,
    long missing,
    long fetches,
    long wallNs,
    long threadCpuNs,
    long processCpuNs,
    long allocatedBytes,
    long processAllocatedBytes,
    long gcCount,
    String latency)
{
    public static final long UNKNOWN = -1;

    static Usage parse(final JsonNode json)
    {
        return new Usage(number(json, "records"), number(json, "bytes"), number(json, "missing"),
            number(json, "fetches"), number(json, "wallNs"), number(json, "threadCpuNs"), number(json, "processCpuNs"),
            number(json, "allocatedBytes"), number(json, "processAllocatedBytes"), number(json, "gcCount"),
            json.path("latency").asText(""));
    }

    private static long number(final JsonNode json, final String field)
    {
        return json.path(field).asLong(UNKNOWN);
    }

    /**
     * @return nanoseconds from when each record was to be sent to its callback.
     */
    public Histogram latencyHistogram()
    {
        return latency.isEmpty() ?
            new Histogram(ValueSink.LEAST_NS, ValueSink.MOST_NS, ValueSink.DIGITS) : Latencies.decode(latency);
    }

    /**
     * A figure per record, per second or in percent means nothing where records were lost on the way.
     *
     * @param client whose usage this is.
     */
    public void mustBeComplete(final String client)
    {
        if (missing != 0)
        {
            throw new IllegalStateException(client + " did not get " + missing + " of " + (records + missing) +
                " records.");
        }
    }

    public double seconds()
    {
        return wallNs / 1e9;
    }

    /**
     * @param figure one of these fields.
     * @return how much of it there was in a second; NaN if the figure is not known.
     */
    public double perSecond(final long figure)
    {
        return figure == UNKNOWN ? Double.NaN : figure / seconds();
    }

    /**
     * @param figure one of these fields.
     * @return how much of it there was for a record; NaN if the figure is not known or there was no record.
     */
    public double perRecord(final long figure)
    {
        return figure == UNKNOWN || records <= 0 ? Double.NaN : (double) figure / records;
    }

    /**
     * @param cpuNs one of these fields.
     * @return percent of one core; NaN if the figure is not known.
     */
    public double cpuPercent(final long cpuNs)
    {
        return cpuNs == UNKNOWN ? Double.NaN : 100.0 * cpuNs / wallNs;
    }
}
