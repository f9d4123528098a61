// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.affinity.CoreSet;
import org.odradek.affinity.ThreadPinning;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.internal.ThreadUsage;
import org.odradek.tools.CommandOptions;
import org.odradek.tools.StopSignal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code odradek perf}, which measures the reading of a number of records. It prints the columns of Kafka's
 * kafka-consumer-perf-test, in the same order and formats, and two more: microseconds of CPU that the polling thread
 * used per record, and bytes that it allocated. Afterwards it writes to standard error what has limited the rate. There
 * is no group here: the column of the rebalance time shows the time until all partitions could be fetched. Exit code 1
 * means that the records did not arrive in time, or that no frame could be captured; the columns are printed
 * nevertheless.
 */
@Command(name = "perf", sortOptions = false,
    description = "Read a topic like kafka-consumer-perf-test, and print its columns and the cost of reading.")
public final class PerfCommand implements Callable<Integer>, ControlledRecordHandler
{
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RECORD_LIMIT = 100_000;
    private static final long LEAST_READY_MS = 10_000;
    private static final String COLUMNS = "data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, " +
        "rebalance.time.ms, " +
        "fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec, cpu.us.per.nMsg, allocated.bytes";

    private static final double BYTES_PER_MB = 1024.0 * 1024.0;
    private static final double MS_PER_SECOND = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss:SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    @Mixin
    private CommandOptions options;

    @Mixin
    private ReadingOptions reading;

    @Option(names = "--messages", paramLabel = "N", required = true, description = "Number of records to read.")
    private long messages;

    @Option(names = "--fetch-size", paramLabel = "BYTES", description = "Maximum size of a fetch response.")
    private Integer fetchSize;

    @Option(names = "--connections", paramLabel = "N",
        description = "Connections over which partitions of one broker that lag are fetched, 1 to 8; 0, the " +
        "default, lets it follow the distance.")
    private int connections;

    @Option(names = "--from-latest", description = "Start at the end (default: at the beginning).")
    private boolean isFromLatest;

    @Option(names = "--timeout", paramLabel = "MS", defaultValue = "10000",
        description = "Stop when no record has arrived for this time (default: ${DEFAULT-VALUE}).")
    private long timeoutMs;

    @Option(names = "--show-detailed-stats", description = "Print a line for each interval.")
    private boolean isDetailed;

    @Option(names = "--reporting-interval", paramLabel = "MS", defaultValue = "5000",
        description = "Length of an interval (default: ${DEFAULT-VALUE}).")
    private long intervalMs;

    @Option(names = "--hide-header", description = "Do not print the names of the columns.")
    private boolean isHeaderHidden;

    @Option(names = "--core", paramLabel = "N", description = "Pin the polling thread to this core.")
    private Integer core;

    private long records;
    private long bytes;
    /** How long the polls took that began when everything had been read. */
    private long atEndNs;
    /** The most at a time. */
    private long mostFurther;
    /** When all partitions could be fetched. */
    private Reading ready;
    private Reading end;

    @Override
    public Integer call()
    {
        options.check(messages >= 1, "--messages must be 1 or more.");
        options.check(timeoutMs >= 1, "--timeout must be 1 or more.");
        options.check(intervalMs >= 1, "--reporting-interval must be 1 or more.");
        final PrintWriter err = options.err();
        options.check(core == null || core >= 0 && core < CoreSet.CAPACITY,
            "--core must be from 0 to " + (CoreSet.CAPACITY - 1) + ".");
        if (core != null)
        {
            err.println(ThreadPinning.pin(core));
        }
        final Reading start = Reading.take(0, 0);
        final ConsumerContext context = options.checked(this::context);
        try (StopSignal signal = new StopSignal();
            TopicConsumer consumer = options.checked(() -> TopicConsumer.connect(context)))
        {
            signal.onStop(consumer::wakeup);
            new StartWaits(reading, consumer, signal, Math.max(timeoutMs, LEAST_READY_MS)).awaitReady();
            run(consumer, signal, start, Reading.nowMs() - start.timeMs());
            err.println(limit(consumer, RateLimit.roundTripMs(context.bootstrapServers())));
            if (records < messages)
            {
                err.println("Only " + records + " of " + messages + " records arrived.");
                return 1;
            }
            return reading.isCaptureEmpty() ? 1 : 0;
        }
    }

    private ConsumerContext context()
    {
        final ConsumerContext context = reading.context(options.err())
            .startPosition(isFromLatest ? StartPosition.latest() : StartPosition.earliest())
            .fetchConnections(connections)
            .listener(new ConsumerListener()
            {
                @Override
                public void onCaptureFull(final Path file, final long frames, final long size)
                {
                    reading.reportFull(options.err(), file, frames, size);
                }
            });
        return fetchSize == null ? context : context.fetchMaxBytes(fetchSize);
    }

    private void run(final TopicConsumer consumer, final StopSignal signal, final Reading start, final long readyMs)
    {
        final PrintWriter out = options.out();
        if (!isHeaderHidden)
        {
            out.println((isDetailed ? "time, threadId, " : "start.time, end.time, ") + COLUMNS);
        }
        ready = Reading.take(0, 0);
        Reading last = ready;
        long silentNs = 0;
        while (records < messages && !signal.isStopped())
        {
            final boolean isAtEnd = isAtEnd(consumer);
            final long startNs = System.nanoTime();
            final int polled = consumer.controlledPoll(this, RECORD_LIMIT, WAIT_NS);
            final long polledNs = System.nanoTime() - startNs;
            atEndNs += isAtEnd ? polledNs : 0;
            mostFurther = Math.max(mostFurther, further(consumer));
            // A poll during which the machine stands still counts as two.
            silentNs = polled > 0 ? 0 : silentNs + Math.min(polledNs, 2 * WAIT_NS);
            if (silentNs >= TimeUnit.MILLISECONDS.toNanos(timeoutMs))
            {
                break;
            }
            if (isDetailed && Reading.nowMs() - last.timeMs() >= intervalMs)
            {
                last = interval(out, last);
            }
        }
        end = Reading.take(records, bytes);
        if (!isDetailed)
        {
            // Times count from the start, as in Kafka's tool; CPU and bytes count from when reading could start.
            final Reading from = new Reading(start.timeMs(), 0, 0, ready.cpuNs(), ready.allocatedBytes());
            out.println(time(start.timeMs()) + ", " + time(end.timeMs()) + ", " +
                columns(from, end, end, readyMs));
        }
        else if (end.records() > last.records())
        {
            interval(out, last);
        }
        out.flush();
    }

    private RateLimit limit(final TopicConsumer consumer, final double roundTripMs)
    {
        final long open = consumer.describe().lines().filter((line) -> line.startsWith("fetcher: ")).count();
        // At the ends of the logs one is left for each broker.
        final int fetching = (int)(open - further(consumer) + mostFurther);
        return new RateLimit(roundTripMs, fetching, consumer.counters().fetches(),
            consumer.counters().get(ConsumerCounters.BYTES_RECEIVED), end.timeMs() - ready.timeMs(),
            atEndNs / NS_PER_MS, (end.cpuNs() - ready.cpuNs()) / NS_PER_MS);
    }

    /** Whether everything has been read that the logs held at the last fetches. */
    private static boolean isAtEnd(final TopicConsumer consumer)
    {
        boolean isAtEnd = true;
        for (int p = 0; p < consumer.partitionCount() && isAtEnd; p++)
        {
            isAtEnd = consumer.isAssigned(p) && consumer.lag(p) == 0;
        }
        return isAtEnd;
    }

    /** The connections for fetches that are open beside the first to each broker. */
    private static long further(final TopicConsumer consumer)
    {
        return consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_ADDED) -
            consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_REMOVED);
    }

    private Reading interval(final PrintWriter out, final Reading last)
    {
        final Reading now = Reading.take(records, bytes);
        out.println(time(now.timeMs()) + ", 0, " + columns(last, now, now, 0));
        out.flush();
        // A new reading leaves out the cost of printing the line.
        return Reading.take(records, bytes);
    }

    @Override
    public Action onRecord(final Record record)
    {
        bytes += Math.max(0, record.keyLength()) + Math.max(0, record.valueLength());
        return ++records == messages ? Action.BREAK : Action.CONTINUE;
    }

    private static String time(final long timeMs)
    {
        return TIME.format(Instant.ofEpochMilli(timeMs));
    }

    /**
     * @param readyMs how long it took between the two until all partitions could be fetched.
     */
    private static String columns(final Reading from, final Reading to, final Reading total, final long readyMs)
    {
        final long elapsedMs = to.timeMs() - from.timeMs();
        final long fetchMs = elapsedMs - readyMs;
        final long records = to.records() - from.records();
        final double megabytes = (to.bytes() - from.bytes()) / BYTES_PER_MB;
        return String.format(Locale.ROOT, "%.4f, %.4f, %d, %.4f, %d, %d, %.4f, %.4f, %.4f, %d",
            total.bytes() / BYTES_PER_MB,
            perSecond(megabytes, elapsedMs),
            total.records(),
            perSecond(records, elapsedMs),
            readyMs,
            fetchMs,
            perSecond(megabytes, fetchMs),
            perSecond(records, fetchMs),
            records == 0 ? 0.0 : (to.cpuNs() - from.cpuNs()) / MS_PER_SECOND / records,
            to.allocatedBytes() - from.allocatedBytes());
    }

    private static double perSecond(final double count, final long ms)
    {
        return ms <= 0 ? 0.0 : count * MS_PER_SECOND / ms;
    }

    /**
     * The values of all meters at one moment.
     */
    private record Reading(long timeMs, long records, long bytes, long cpuNs, long allocatedBytes)
    {
        private static final long ORIGIN_MS = System.currentTimeMillis();
        private static final long ORIGIN_NS = System.nanoTime();

        static Reading take(final long records, final long bytes)
        {
            return new Reading(nowMs(), records, bytes, ThreadUsage.cpuNs(), ThreadUsage.allocatedBytes());
        }

        /** Returns the time, whose differences a clock that is set does not change. */
        static long nowMs()
        {
            return ORIGIN_MS + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ORIGIN_NS);
        }
    }
}
