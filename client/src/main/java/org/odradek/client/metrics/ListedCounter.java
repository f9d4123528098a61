// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.metrics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.odradek.client.metrics.ListedCounter.Unit.BYTES;
import static org.odradek.client.metrics.ListedCounter.Unit.MS;
import static org.odradek.client.metrics.ListedCounter.Unit.NS;
import static org.odradek.client.metrics.ListedCounter.Unit.NUMBER;

/**
 * Describes a counter of a client for the counters file and for the exporters.
 *
 * @param id   id in {@code ClientCounters} or {@code ConsumerCounters}; for a counter that only a publisher has, id in
 *             {@code PublisherCounters}; for a counter of a worker, id in {@code WorkerCounters}.
 * @param name name in lower-case words; the first or last word is the unit, if there is one.
 */
public record ListedCounter(int id, String name, Owner owner, ExportedMetric metric)
{
    public enum Owner
    {
        EACH_CLIENT,
        CONSUMER,
        PUBLISHER,
        WORKER
    }

    enum Unit
    {
        NUMBER(null, null, 1),
        BYTES("bytes", ExportedMetric.BYTES, 1),
        MS("ms", ExportedMetric.SECONDS, 1e3),
        NS("ns", ExportedMetric.SECONDS, 1e9);

        /** This word stands for the unit in the name of a counter; null if there is none. */
        private final String word;
        private final String exported;
        private final double divisor;

        Unit(final String word, final String exported, final double divisor)
        {
            this.word = word;
            this.exported = exported;
            this.divisor = divisor;
        }
    }

    /** The ids of the counters that only a publisher has begin here, so that they differ from all other ids. */
    public static final int FIRST_ID_OF_PUBLISHER = 100;

    /** For readers of counters files, which do not depend on the publisher. */
    public static final int STOPPED_PARTITIONS_OF_PUBLISHER = 113;

    /** New counters are added at the end, because another release may read a counters file. */
    private static final ListedCounter[] LIST = {
        consumer(0, "records", NUMBER, "Records delivered."),
        consumer(1, "record bytes", BYTES,
            "Bytes of the batches that were delivered, as received.").exportedAs("delivered"),
        consumer(2, "fetches", NUMBER, "Fetch responses received, including empty ones."),
        consumer(3, "empty fetches", NUMBER, "Fetch responses without a record set to deliver."),
        client(4, "bytes received", BYTES, "Bytes received."),
        consumer(5, "bytes discarded", BYTES,
            "Bytes of batches received and not delivered, as after a seek or a pause."),
        consumer(6, "offset holes", NUMBER, "Offsets inside the log without a record to deliver, as after compaction."),
        client(7, "metadata refreshes", NUMBER, "Metadata responses received."),
        client(8, "connects", NUMBER, "Connections established."),
        client(9, "connections lost", NUMBER,
            "Established connections that were lost, except further connections to the same broker."),
        client(10, "name lookups", NUMBER, "Names looked up."),
        client(11, "name lookup ns", NS, "Time that the client's thread spent in name lookups."),
        client(12, "buffers grown", NUMBER, "How often a buffer has grown for a larger response or batch."),
        client(13, "budget exceeded bytes", BYTES,
            "Bytes of direct memory that were allocated beyond the declared budget."),
        client(14, "throttle ms", MS, "Time for which brokers have throttled the client."),
        consumer(15, "handler errors", NUMBER, "Exceptions of the handler for a record or a batch."),
        consumer(16, "partition errors", NUMBER,
            "Errors of single partitions: error codes from brokers, and corrupt or oversized batches."),
        consumer(17, "partitions stopped", NUMBER, "How often a partition has stopped because of an error."),
        client(18, "leader changes", NUMBER, "Changes of the leader of a partition, or of its epoch."),
        client(19, "errors", NUMBER,
            "Errors passed to the error handler, without those of the handler and the listener."),
        consumer(20, "gaps", NUMBER,
            "Gaps in the delivered offsets: resets to a later offset, and skipped corrupt batches."),
        consumer(21, "offsets skipped", NUMBER, "Offsets that gaps have skipped."),
        consumer(22, "resets", NUMBER, "How often the reset policy has set the next offset of a partition."),
        consumer(23, "truncations", NUMBER,
            "How often the log of a new leader did not contain all records that were read."),
        client(24, "rebootstraps", NUMBER, "Returns to the bootstrap servers, with all metadata discarded."),
        client(25, "idle closes", NUMBER, "Idle connections closed."),
        client(26, "version downgrades", NUMBER,
            "Connections that were tried again with a lower version of ApiVersions."),
        client(27, "listener errors", NUMBER,
            "Exceptions of the listener, or of the acknowledgements of an input barrier."),
        consumer(28, "full fetches", NUMBER, "Fetch requests that listed all partitions."),
        consumer(29, "incremental fetches", NUMBER, "Fetch requests that listed only partitions that had changed."),
        consumer(30, "session resets", NUMBER,
            "Fetch sessions that ended because of an error, a lost connection, or the broker."),
        consumer(31, "empty polls", NUMBER, "Polls that delivered nothing."),
        consumer(32, "longest cycle ns", NS, "The longest time that one duty cycle has taken.").gauge(),
        consumer(33, "stalls", NUMBER,
            "Duty cycles longer than the stall threshold, and waits that ended too late by more than this threshold."),
        client(34, "errors not logged", NUMBER, "Errors for which the error log of the counters file had no room."),
        consumer(35, "batched fetches", NUMBER,
            "Fetch requests that the broker was asked to hold for the latency budget."),
        consumer(36, "frames captured", NUMBER, "Fetch responses written to the capture file."),
        consumer(37, "frames not captured", NUMBER,
            "Fetch responses that the frame handler did not capture, for example because its file was full."),
        client(38, "tls handshakes", NUMBER, "TLS handshakes completed."),
        client(39, "tls handshake ns", NS, "Time that TLS handshakes took on the client's thread."),
        client(40, "tls verification ns", NS, "Time that the checks of certificates took."),
        client(41, "tls failures", NUMBER, "Connections that ended with an error of TLS, or during the handshake."),
        client(42, "tls reloads", NUMBER, "How often changed certificate files were read again."),
        client(43, "tls reloads failed", NUMBER, "How often changed certificate files could not be used."),
        client(44, "authentications", NUMBER,
            "Authentications by SASL that succeeded, including renewals of sessions."),
        client(45, "authentication failures", NUMBER,
            "Authentications that a broker refused, or in which a broker did not prove its identity."),
        client(46, "reauthentications", NUMBER, "Sessions of SASL that were renewed before they expired."),
        client(47, "authentication ns", NS, "Time that SASL mechanisms took on the client's thread."),
        client(48, "tls key updates", NUMBER, "Key updates of TLS 1.3 that brokers requested."),
        consumer(49, "heartbeats", NUMBER,
            "Heartbeats sent to the coordinator of the group; with the protocol consumer, also joins and leaves."),
        consumer(50, "heartbeat failures", NUMBER,
            "Heartbeats, joins, syncs and leaves whose response was an error or was lost."),
        consumer(51, "rebalances", NUMBER,
            "Changes of the partitions that the consumer group has assigned to this member."),
        consumer(52, "partitions assigned", NUMBER, "Partitions taken because the group assigned them."),
        consumer(53, "partitions revoked", NUMBER,
            "Partitions revoked for other members, in a rebalance of a classic group, or before leaving."),
        consumer(54, "partitions lost", NUMBER,
            "Partitions lost because the group may have removed the member, or because the topic was created again."),
        consumer(55, "commits", NUMBER, "Requests to commit offsets that succeeded."),
        consumer(56, "commit failures", NUMBER,
            "Requests to commit offsets that were refused for at least one partition."),
        consumer(57, "fences", NUMBER,
            "How often delivery stopped, because no heartbeat or no revocation was confirmed in time."),
        consumer(58, "last heartbeat ms", MS,
            "When a heartbeat was last confirmed, in seconds since 1970; 0 while none is expected.")
            .gauge().exportedAs("last.heartbeat.time"),
        consumer(59, "classic groups converted", NUMBER,
            "Classic groups with members that the first join has converted."),
        client(60, "tokens not renewed", NUMBER, "Failures of a token source that were reported."),
        client(61, "tls fallbacks", NUMBER,
            "Reports that the JDK's TLS is used, because BoringSSL refuses the key of a broker or cannot be used."),
        consumer(62, "revocations timed out", NUMBER,
            "Partitions revoked before the work on them was done, or before their commit was confirmed."),
        consumer(63, "acknowledgements refused", NUMBER,
            "Acknowledged offsets that were refused, because they are outside the delivered records."),
        consumer(64, "fetch connections added", NUMBER,
            "Further connections to a broker that were opened for partitions that lag."),
        consumer(65, "fetch connections removed", NUMBER,
            "Further connections to a broker that were closed."),
        consumer(66, "acknowledgements ignored", NUMBER,
            "Acknowledged offsets below an earlier one of the same ownership."),
        consumer(67, "stopped partitions", NUMBER, "Partitions stopped now.").gauge()};

    private static final ListedCounter[] OF_PUBLISHER = {
        publisher(100, "records", NUMBER, "Records accepted."),
        publisher(101, "records acknowledged", NUMBER, "Records acknowledged."),
        publisher(102, "records failed", NUMBER, "Records given up."),
        publisher(103, "requests", NUMBER, "Produce requests sent."),
        publisher(104, "bytes sent", BYTES, "Bytes of Produce requests sent."),
        publisher(105, "bytes batched", BYTES, "Bytes of batches before compression, each batch once."),
        publisher(106, "batches sent", NUMBER, "Batches sent, including repetitions."),
        publisher(107, "batches resent", NUMBER, "Batches sent again."),
        publisher(108, "batches acknowledged", NUMBER, "Batches acknowledged."),
        publisher(109, "batches failed", NUMBER, "Batches given up."),
        publisher(110, "back pressured", NUMBER,
            "Offers and claims, including repeated ones, that were refused because all memory for batches was in use."),
        publisher(111, "epoch bumps", NUMBER, "How often a partition continued with a new producer epoch."),
        publisher(112, "claims aborted", NUMBER,
            "Claims that were aborted, because they were open when the publisher worked or was closed."),
        publisher(STOPPED_PARTITIONS_OF_PUBLISHER, "stopped partitions", NUMBER, "Partitions stopped now.").gauge()};

    private static final ListedCounter[] OF_WORKER = {
        worker(0, "records", NUMBER, "Records processed."),
        worker(1, "records skipped", NUMBER,
            "Records that the worker has skipped, because the member did not own their partition any more."),
        worker(2, "handler errors", NUMBER, "Exceptions and Errors of the handler of the worker."),
        worker(3, "state", NUMBER,
            "State of the worker: 0 while it works, 1 while it has stopped at a record, 2 after it has ended.").gauge(),
        worker(4, "too large", NUMBER,
            "Records for the worker that were skipped, because they did not fit into an eighth of its ring."),
        worker(5, "ring full ns", NS,
            "Time for which nothing was dispatched, because the ring of the worker was full."),
        worker(6, "ring bytes", BYTES, "Bytes in the ring of the worker.").gauge(),
        worker(7, "barrier age ns", NS,
            "Time for which the open barrier has waited for the worker; 0 without such a wait.").gauge()};

    private static ListedCounter client(final int id, final String name, final Unit unit, final String meaning)
    {
        return new ListedCounter(id, name, Owner.EACH_CLIENT, metric(name, unit, meaning));
    }

    private static ListedCounter consumer(final int id, final String name, final Unit unit, final String meaning)
    {
        return new ListedCounter(id, name, Owner.CONSUMER, metric(name, unit, meaning));
    }

    private static ListedCounter publisher(final int id, final String name, final Unit unit, final String meaning)
    {
        return new ListedCounter(id, name, Owner.PUBLISHER, metric("publisher " + name, unit, meaning));
    }

    private static ListedCounter worker(final int id, final String name, final Unit unit, final String meaning)
    {
        return new ListedCounter(id, name, Owner.WORKER, metric("worker " + name, unit, meaning));
    }

    /** For example, "name lookup ns" is exported as "odradek.name.lookup" in seconds. */
    private static ExportedMetric metric(final String name, final Unit unit, final String meaning)
    {
        final String exported = Arrays.stream(name.split(" ")).filter((word) -> !word.equals(unit.word))
            .collect(Collectors.joining("."));
        return new ExportedMetric(ExportedMetric.PREFIX + exported, unit.exported, meaning, true, unit.divisor);
    }

    /** Returns the same description for a value that may decrease or whose rate is of no interest. */
    private ListedCounter gauge()
    {
        return new ListedCounter(id, name, owner,
            new ExportedMetric(metric.name(), metric.unit(), metric.help(), false, metric.divisor()));
    }

    private ListedCounter exportedAs(final String other)
    {
        return new ListedCounter(id, name, owner, new ExportedMetric(
            ExportedMetric.PREFIX + other, metric.unit(),
            metric.help(), metric.isCounter(), metric.divisor()));
    }

    public boolean isOfEachClient()
    {
        return owner == Owner.EACH_CLIENT;
    }

    /** Returns true if only a publisher has this counter. */
    public boolean isOfPublisher()
    {
        return owner == Owner.PUBLISHER;
    }

    /**
     * Returns the counter with an id of {@code ClientCounters} or {@code ConsumerCounters}, from 0 to {@code count() -
     * 1}.
     */
    public static ListedCounter of(final int id)
    {
        return LIST[id];
    }

    /**
     * Returns a counter of a publisher.
     *
     * @param id id in {@code ClientCounters} or in {@code PublisherCounters}.
     * @throws IndexOutOfBoundsException if a publisher has no such counter.
     */
    public static ListedCounter ofPublisher(final int id)
    {
        final ListedCounter counter = id < FIRST_ID_OF_PUBLISHER ? LIST[id] : OF_PUBLISHER[id - FIRST_ID_OF_PUBLISHER];
        if (counter.owner == Owner.CONSUMER)
        {
            throw new IndexOutOfBoundsException("a publisher has no counter with id " + id);
        }
        return counter;
    }

    /** Returns the counter with an id of {@code WorkerCounters}, from 0 to {@code workerCount() - 1}. */
    public static ListedCounter ofWorker(final int id)
    {
        return OF_WORKER[id];
    }

    public static List<ListedCounter> shownByConsumer()
    {
        return List.of(LIST);
    }

    /** Returns the counters that a publisher shows: its own counters, and those that every client has. */
    public static List<ListedCounter> shownByPublisher()
    {
        return Stream.concat(
            Arrays.stream(OF_PUBLISHER), Arrays.stream(LIST).filter(ListedCounter::isOfEachClient)).toList();
    }

    /** Returns the metrics of all counters, then {@link ExportedMetric#computed()}. */
    public static List<ExportedMetric> metrics()
    {
        final List<ExportedMetric> all = new ArrayList<>();
        Stream.of(LIST, OF_PUBLISHER, OF_WORKER).flatMap(Arrays::stream).forEach((counter) -> all.add(counter.metric));
        all.addAll(ExportedMetric.computed());
        return all;
    }

    public static int count()
    {
        return LIST.length;
    }

    /** Returns the number of counters that only a publisher has; their ids begin at {@link #FIRST_ID_OF_PUBLISHER}. */
    public static int publisherCount()
    {
        return OF_PUBLISHER.length;
    }

    public static int workerCount()
    {
        return OF_WORKER.length;
    }
}
