// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.metrics;

import org.odradek.consumer.handler.ConsumerCounters;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Describes a number for monitoring systems: name, unit, meaning, and how it is computed from a counter. Each of {@link
 * ConsumerCounters} has one, and so has each value that is computed when it is read. The module
 * micrometer and the command {@code odradek prometheus} export the same names.
 *
 * @param name      words with dots between them, without the unit.
 * @param unit      {@link #BYTES}, {@link #SECONDS}, or null for a plain number.
 * @param help      the meaning, in one sentence.
 * @param isCounter whether it never decreases while the consumer is open, and its rate is of interest.
 * @param divisor   by which the value of the counter is divided.
 */
public record ExportedMetric(String name, String unit, String help, boolean isCounter, double divisor)
{
    public static final String BYTES = "bytes";
    public static final String SECONDS = "seconds";

    public static final ExportedMetric UP = gauge("up", null,
        "1 if the consumer is open and was polled lately, 0 if it is closed, hung or dead, or has no file.");
    public static final ExportedMetric CLOSED = gauge("closed", null, "1 if the consumer was closed, 0 if it is open.");
    public static final ExportedMetric START_TIME = gauge("start.time", SECONDS,
        "When the consumer was created, in seconds since 1970.");
    public static final ExportedMetric LAST_POLL_AGE = gauge("last.poll.age", SECONDS,
        "Time since the consumer was last polled, or since it was created if it never was.");
    public static final ExportedMetric LAST_HEARTBEAT_AGE = gauge("last.heartbeat.age", SECONDS,
        "Time since the coordinator of the group last confirmed a heartbeat; absent while none is expected.");
    public static final ExportedMetric PARTITIONS = gauge("partitions", null,
        "Partitions that are read, and whose next offset is known.");
    public static final ExportedMetric NEXT_OFFSET = gauge("partition.next.offset", null,
        "The next offset that the partition delivers.");
    public static final ExportedMetric HIGH_WATERMARK = gauge("partition.high.watermark", null,
        "The high watermark of the partition, as of its last fetch.");
    public static final ExportedMetric LAG = gauge("partition.lag", null,
        "Offsets from the next one of the partition to the end of what can be read of it.");
    public static final ExportedMetric FETCH_LATENCY = gauge("fetch.latency", SECONDS,
        "Quantiles of the time from a fetch request to its response, over the last one to two minutes, or since the " +
            "last reading if that was longer ago.");
    public static final ExportedMetric RECORD_AGE = gauge("record.age", SECONDS,
        "Quantiles of the age of records at delivery, over the last one to two minutes, or since the last reading if " +
            "that was longer ago.");
    public static final ExportedMetric THREAD_ALLOCATED = counter("thread.allocated", BYTES,
        "Bytes that the polling thread has allocated on the heap, since it was started.");

    /** Of the command {@code odradek prometheus} only, so it is none of {@link #all()}. */
    public static final ExportedMetric IGNORED_FILES = gauge("ignored.files", null,
        "Files that match the pattern of `odradek prometheus` and are no counters files.");

    /** By the id of the counter. */
    private static final ExportedMetric[] COUNTERS = {
        counter("records", "Records delivered."),
        counter("delivered", BYTES, "Bytes of the batches that were delivered, as received."),
        counter("fetches", "Fetch responses received, including empty ones."),
        counter("empty.fetches", "Fetch responses that held no record."),
        counter("received", BYTES, "Bytes received from brokers."),
        counter("discarded", BYTES, "Bytes of batches received and not delivered, as after a seek or a pause."),
        counter("offset.holes", "Offsets inside the log without a record to deliver, as after compaction."),
        counter("metadata.refreshes", "Metadata responses received."),
        counter("connects", "Connections established."),
        counter("connections.lost", "Established connections that were lost."),
        counter("name.lookups", "Names of brokers looked up."),
        counter("name.lookup", SECONDS, "Time that the polling thread spent in name lookups.").divided(1e9),
        counter("buffers.grown", "Buffers that have grown for a larger response or batch."),
        counter("budget.exceeded", BYTES, "Bytes of direct memory that were allocated beyond the declared budget."),
        counter("throttle", SECONDS, "Time for which brokers have throttled the consumer.").divided(1e3),
        counter("handler.errors", "Records or batches for which the handler threw an exception."),
        counter("partition.errors", "Errors that brokers reported for single partitions."),
        counter("partitions.stopped", "Partitions that stopped because of an error."),
        counter("leader.changes", "Changes of the leader of a partition, or of its epoch."),
        counter("errors", "Errors passed to the error handler, without those of the handler and the listener."),
        counter("gaps", "Gaps in what was delivered: resets to a later offset, corrupt batches skipped."),
        counter("offsets.skipped", "Offsets in those gaps."),
        counter("resets", "Partitions moved by the reset policy."),
        counter("truncations", "Partitions whose log was truncated below what was delivered."),
        counter("rebootstraps", "Returns to the bootstrap servers, with all metadata discarded."),
        counter("idle.closes", "Idle connections closed."),
        counter("version.downgrades", "Connections that were tried again with a lower version of ApiVersions."),
        counter("listener.errors", "Events for which the listener threw an exception."),
        counter("full.fetches", "Fetch requests that listed all partitions."),
        counter("incremental.fetches", "Fetch requests that listed only partitions that had changed."),
        counter("session.resets", "Fetch sessions that ended early."),
        counter("empty.polls", "Polls that delivered nothing."),
        gauge("longest.cycle", SECONDS, "The longest time that one duty cycle has worked.").divided(1e9),
        counter("stalls", "Duty cycles that worked, and waits that were late, for longer than the stall threshold."),
        counter("errors.not.logged", "Errors for which the error log of the counters file had no room."),
        counter("batched.fetches", "Fetch requests that the broker was asked to hold for the latency budget."),
        counter("frames.captured", "Fetch responses written to the capture file."),
        counter("frames.not.captured", "Fetch responses for which the capture file had no room."),
        counter("tls.handshakes", "TLS handshakes completed."),
        counter("tls.handshake", SECONDS, "Time that TLS handshakes worked on the polling thread.").divided(1e9),
        counter("tls.verification", SECONDS, "Time that the checks of certificates took.").divided(1e9),
        counter("tls.failures", "Connections that TLS ended with an error."),
        counter("tls.reloads", "Changed certificate files that were read again."),
        counter("tls.reloads.failed", "Changed certificate files that could not be used."),
        counter("authentications", "Authentications by SASL that succeeded."),
        counter("authentication.failures", "Authentications that failed."),
        counter("reauthentications", "Sessions renewed before they expired."),
        counter("authentication", SECONDS, "Time that mechanisms of SASL worked on the polling thread.").divided(1e9),
        counter("tls.key.updates", "New keys of TLS 1.3 that brokers asked for."),
        counter("heartbeats", "Heartbeats sent to the coordinator of the consumer group."),
        counter("heartbeat.failures", "Heartbeats answered with an error, or whose answer was lost."),
        counter("rebalances", "Changes of the partitions that the consumer group has assigned."),
        counter("partitions.assigned", "Partitions taken because the group assigned them."),
        counter("partitions.revoked", "Partitions given up for other members, or on leaving."),
        counter("partitions.lost", "Partitions lost because the group had removed the member."),
        counter("commits", "Requests to commit offsets that succeeded."),
        counter("commit.failures", "Requests to commit offsets that were refused for at least one partition."),
        counter("fences", "How often delivery stopped because no heartbeat was confirmed for too long."),
        gauge("last.heartbeat.time", SECONDS,
            "When a heartbeat was last confirmed, in seconds since 1970; 0 while none is expected.").divided(1e3),
        counter("classic.groups.converted", "Classic groups with members that the first join has converted."),
        counter("tokens.not.renewed", "Failures of a token source that were reported."),
        counter("tls.fallbacks",
            "Brokers with TLS by the JDK: BoringSSL refuses the key of the certificate, or cannot be used."),
        counter("revocations.timed.out",
            "Partitions given up before the work on them was done, or before their commit was confirmed."),
        counter("acknowledgements.refused",
            "Acknowledged offsets that were not committed, because records before them had not been delivered."),
        counter("fetch.connections.added",
            "Connections that were added to the first of a broker, because partitions lag."),
        counter("fetch.connections.removed", "Connections besides the first of a broker that were removed."),
        counter("acknowledgements.ignored", "Acknowledged offsets below an earlier one of the same ownership.")};

    private static ExportedMetric gauge(final String name, final String unit, final String help)
    {
        return new ExportedMetric("odradek." + name, unit, help, false, 1);
    }

    private static ExportedMetric counter(final String name, final String unit, final String help)
    {
        return new ExportedMetric("odradek." + name, unit, help, true, 1);
    }

    private static ExportedMetric counter(final String name, final String help)
    {
        return counter(name, null, help);
    }

    private ExportedMetric divided(final double newDivisor)
    {
        return new ExportedMetric(name, unit, help, isCounter, newDivisor);
    }

    /**
     * The metric that shows a counter.
     *
     * @param id one of the constants of {@link ConsumerCounters}.
     */
    public static ExportedMetric ofCounter(final int id)
    {
        return COUNTERS[id];
    }

    /** All metrics, first those of the counters, by their ids. */
    public static List<ExportedMetric> all()
    {
        final List<ExportedMetric> all = new ArrayList<>(List.of(COUNTERS));
        Collections.addAll(all, UP, CLOSED, START_TIME, LAST_POLL_AGE, LAST_HEARTBEAT_AGE, PARTITIONS, NEXT_OFFSET,
            HIGH_WATERMARK, LAG, FETCH_LATENCY, RECORD_AGE, THREAD_ALLOCATED);
        return all;
    }

    /** The name in Prometheus, such as {@code odradek_name_lookup_seconds_total}. */
    public String prometheusName()
    {
        return name.replace('.', '_') + (unit == null ? "" : "_" + unit) + (isCounter ? "_total" : "");
    }

    /**
     * The exported value.
     *
     * @param counted value of the counter, in its own unit.
     */
    public double value(final long counted)
    {
        return counted / divisor;
    }

    @Override
    public String toString()
    {
        return prometheusName();
    }
}
