// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * All metrics: the name in rows, the unit, the heading in tables, and how a {@link Usage} gives the figure. A metric
 * that no usage gives is computed by its scenario.
 */
public enum Metric
{
    RECORDS_PER_SECOND("recordsPerSecond", "records/s", "records/s", (usage) -> usage.perSecond(usage.records)),
    MEGABYTES_PER_SECOND("megabytesPerSecond", "MB/s", "MB/s", (usage) -> usage.perSecond(usage.bytes) / 1e6),
    /** Of the beginning of a turn, of which the other figures of a scenario with a ramp are the rest. */
    RAMP_MEGABYTES_PER_SECOND("rampMegabytesPerSecond", "MB/s", "MB/s in the ramp",
        (usage) -> usage.perSecond(usage.bytes) / 1e6),
    /** Of the whole turn. */
    WITH_RAMP_RECORDS_PER_SECOND("withRampRecordsPerSecond", "records/s", "records/s with the ramp",
        (usage) -> usage.perSecond(usage.records)),
    THREAD_CPU("threadCpuPercent", "%", "thread CPU %", (usage) -> usage.cpuPercent(usage.threadCpuNs)),
    PROCESS_CPU("processCpuPercent", "%", "process CPU %", (usage) -> usage.cpuPercent(usage.processCpuNs)),
    ALLOCATED("allocatedBytes", "bytes", "allocated bytes", (usage) -> Usage.known(usage.allocatedBytes)),
    PROCESS_ALLOCATED("processAllocatedBytes", "bytes", "of the process",
        (usage) -> Usage.known(usage.processAllocatedBytes)),
    COLLECTIONS("gcCount", "collections", "collections", (usage) -> Usage.known(usage.gcCount)),
    WARM_UP("warmUpSeconds", "s", "warm-up s", (usage) -> Usage.known(usage.warmUpSeconds)),
    COMPILER("compilerMs", "ms", "compilers ms", (usage) -> Usage.known(usage.compilerMs)),
    FETCHES("fetchesPerSecond", "fetches/s", "fetches/s", (usage) -> usage.perSecond(usage.fetches)),
    BROKER_CPU("brokerCpuPercent", "%", "broker CPU %", (usage) -> usage.cpuPercent(usage.brokerCpuNs)),
    THREAD_CPU_PER_RECORD("threadCpuPerRecord", "ns/record", "thread CPU ns/record",
        (usage) -> usage.perRecord(usage.threadCpuNs)),
    THREAD_CPU_PER_FETCH("threadCpuPerFetch", "us/fetch", "thread CPU us/fetch",
        (usage) -> usage.perFetch(usage.threadCpuNs) / 1_000),
    PROCESS_CPU_PER_RECORD("processCpuPerRecord", "ns/record", "process CPU ns/record",
        (usage) -> usage.perRecord(usage.processCpuNs)),
    /** Of the same round, over what the arm called direct used. */
    PROCESS_CPU_OVER_DIRECT("processCpuPerRecordOverDirect", "ns/record", "process CPU ns/record over direct"),
    ALLOCATED_PER_RECORD("allocatedBytesPerRecord", "bytes/record", "allocated B/record",
        (usage) -> usage.perRecord(usage.allocatedBytes)),
    THREAD_CPU_PER_MINUTE("threadCpuPerMinute", "ms/min", "thread CPU ms/min",
        (usage) -> 600 * usage.cpuPercent(usage.threadCpuNs)),
    PROCESS_CPU_PER_MINUTE("processCpuPerMinute", "ms/min", "process CPU ms/min",
        (usage) -> 600 * usage.cpuPercent(usage.processCpuNs)),
    ALLOCATED_PER_MINUTE("allocatedBytesPerMinute", "bytes/min", "allocated bytes/min",
        (usage) -> 60 * usage.perSecond(usage.allocatedBytes)),
    PROCESS_ALLOCATED_PER_MINUTE("processAllocatedBytesPerMinute", "bytes/min", "of the process",
        (usage) -> 60 * usage.perSecond(usage.processAllocatedBytes)),
    PROCESS_ALLOCATED_PER_RECORD("processAllocatedBytesPerRecord", "bytes/record", "of the process B/record",
        (usage) -> usage.perRecord(usage.processAllocatedBytes)),
    P50("latencyP50Us", "us", "p50 us", (usage) -> usage.latencyUs(50)),
    P50_ADDED("latencyP50AddedUs", "us", "p50 us over own default"),
    P99_ADDED("latencyP99AddedUs", "us", "p99 us over own default"),
    P50_OVER_CONNECTOR("latencyP50OverConnectorUs", "us", "p50 us over Flink's connector"),
    P90("latencyP90Us", "us", "p90 us", (usage) -> usage.latencyUs(90)),
    P99("latencyP99Us", "us", "p99 us", (usage) -> usage.latencyUs(99)),
    P999("latencyP999Us", "us", "p99.9 us", (usage) -> usage.latencyUs(99.9)),
    P9999("latencyP9999Us", "us", "p99.99 us", (usage) -> usage.latencyUs(99.99)),
    MAX("latencyMaxUs", "us", "worst us", (usage) -> usage.latencyUs(100)),
    LAG_P50("lagP50Us", "us", "lag p50 us", (usage) -> usage.latencyUs(50)),
    LAG_P99("lagP99Us", "us", "lag p99 us", (usage) -> usage.latencyUs(99)),
    LAG_MAX("lagMaxUs", "us", "worst lag us", (usage) -> usage.latencyUs(100)),
    UNCORRECTED_P50("uncorrectedLatencyP50Us", "us", "p50 us uncorrected"),
    UNCORRECTED_P99("uncorrectedLatencyP99Us", "us", "p99 us uncorrected"),
    UNCORRECTED_P999("uncorrectedLatencyP999Us", "us", "p99.9 us uncorrected"),
    /** Their histogram holds durations of checkpoints. */
    CHECKPOINT_P50("checkpointP50Us", "us", "checkpoint p50 us", (usage) -> usage.latencyUs(50)),
    CHECKPOINT_MAX("checkpointMaxUs", "us", "longest checkpoint us", (usage) -> usage.latencyUs(100)),
    PRODUCER_CPU("producerCpuPercent", "%", "producer CPU %"),
    CHAINS("chains", "chains", "chains"),
    JOIN("joinMs", "ms", "join ms"),
    LEAVE("leaveMs", "ms", "leave ms"),
    KILL("killMs", "ms", "kill ms"),
    REPEATED_AFTER_JOIN("repeatedAfterJoin", "records", "repeated after join"),
    REPEATED_AFTER_LEAVE("repeatedAfterLeave", "records", "after leave"),
    REPEATED_AFTER_KILL("repeatedAfterKill", "records", "after kill"),
    NS_PER_RECORD("nsPerRecord", "ns/record", "ns/record"),
    BYTES_PER_FETCH("bytesPerFetch", "bytes/fetch", "bytes/fetch"),
    GC_BYTES_PER_FETCH("gcBytesPerFetch", "bytes/fetch", "bytes/fetch of all threads"),
    TIMES_OURS("timesOurs", "ratio", "times ours");

    /** What a turn cost. */
    public static final Metric[] USAGE = {
        RECORDS_PER_SECOND, THREAD_CPU, PROCESS_CPU, ALLOCATED, PROCESS_ALLOCATED, COLLECTIONS, FETCHES, BROKER_CPU,
        WARM_UP, COMPILER};
    public static final Metric[] PER_RECORD = {THREAD_CPU_PER_RECORD, PROCESS_CPU_PER_RECORD, ALLOCATED_PER_RECORD};
    public static final Metric[] PER_MINUTE =
        {THREAD_CPU_PER_MINUTE, PROCESS_CPU_PER_MINUTE, ALLOCATED_PER_MINUTE, PROCESS_ALLOCATED_PER_MINUTE};
    public static final Metric[] LATENCY = {P50, P90, P99, P999, P9999, MAX};
    /** The metrics of the producer; its lag is part of each client's latency. */
    public static final Metric[] PRODUCER = {RECORDS_PER_SECOND, LAG_P50, LAG_P99, LAG_MAX, PROCESS_CPU};

    final String unit;
    private final String key;
    private final String heading;
    private final ToDoubleFunction<Usage> figure;

    Metric(final String key, final String unit, final String heading)
    {
        this(key, unit, heading, (usage) -> Double.NaN);
    }

    Metric(final String key, final String unit, final String heading, final ToDoubleFunction<Usage> figure)
    {
        this.key = key;
        this.unit = unit;
        this.heading = heading;
        this.figure = figure;
    }

    /** The name in rows. */
    public String key()
    {
        return key;
    }

    /** The name in rows of the ratio to this rival. */
    public String to(final Rival rival)
    {
        return key + rival.suffix;
    }

    double of(final Usage usage)
    {
        return figure.applyAsDouble(usage);
    }

    boolean isMoreBetter()
    {
        return this == RECORDS_PER_SECOND || this == MEGABYTES_PER_SECOND || this == RAMP_MEGABYTES_PER_SECOND ||
            this == WITH_RAMP_RECORDS_PER_SECOND || this == CHAINS;
    }

    /** The heading of the column of what has this name in rows: a metric or a ratio of it to a rival. */
    static String heading(final String name)
    {
        for (final Metric metric : values())
        {
            if (name.equals(metric.key))
            {
                return metric.heading;
            }
            for (final Rival rival : Rival.values())
            {
                if (name.equals(metric.to(rival)))
                {
                    return metric.heading + " to " + rival.title;
                }
            }
        }
        throw new IllegalArgumentException("There is no metric " + name + ".");
    }

    /** Words from a name in rows: threadCpuPerRecord becomes "thread CPU per record". */
    static String words(final String name)
    {
        return name.replaceAll("Us$", "").replaceAll("([a-z0-9])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT)
            .replaceAll("\\bcpu", "CPU").replaceAll("^gc\\b", "GC").replaceAll("^jvm\\b", "JVM")
            .replaceAll("^os\\b", "OS").replaceAll("\\bp999\\b", "p99.9").replaceAll("\\bp9999\\b", "p99.99");
    }
}
