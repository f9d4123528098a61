// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.perf;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.StatusSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.ThreadPinning;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.tools.CaptureOptions;
import org.odradek.tools.StopSignal;
import org.odradek.tools.perf.PerfColumns.Reading;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code odradek perf}: reads a number of records of a topic, from its beginning, and says how fast that was. Exit code
 * 1 says that the records did not come in time; the columns are printed all the same.
 */
@Command(name = "perf", sortOptions = false,
    description = "Read a topic as kafka-consumer-perf-test does, and print its columns and what the reading cost.")
public final class PerfCommand implements Callable<Integer>, ControlledRecordHandler
{
    private static final long READY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RECORD_LIMIT = 100_000;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "What to read.")
    private String topic;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT,...", defaultValue = "localhost:9092",
        description = "Brokers to ask first (default: ${DEFAULT-VALUE}).")
    private String bootstrap;

    @Option(names = "--messages", paramLabel = "N", required = true, description = "Read so many records.")
    private long messages;

    @Option(names = "--fetch-size", paramLabel = "BYTES", description = "Ask for so much at a time.")
    private int fetchSize;

    @Option(names = "--from-latest", description = "Begin at the end (default: at the beginning).")
    private boolean isFromLatest;

    @Option(names = "--timeout", paramLabel = "MS", defaultValue = "10000",
        description = "Give up when nothing has come for so long (default: ${DEFAULT-VALUE}).")
    private long timeoutMs;

    @Option(names = "--show-detailed-stats", description = "Print a line for each interval, too.")
    private boolean isDetailed;

    @Option(names = "--reporting-interval", paramLabel = "MS", defaultValue = "5000",
        description = "Length of an interval (default: ${DEFAULT-VALUE}).")
    private long intervalMs;

    @Option(names = "--hide-header", description = "Print no names of columns.")
    private boolean isHeaderHidden;

    @Option(names = "--core", paramLabel = "N", description = "Pin the polling thread to this core.")
    private int core = -1;

    @Option(names = "--counters", paramLabel = "FILE",
        description = "Keep counters there, for stat, lag and errors to read meanwhile.")
    private Path counters;

    @Mixin
    private CaptureOptions capture;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    private long records;
    private long bytes;

    @Override
    public Integer call()
    {
        check(messages >= 1, "--messages must be 1 or more.");
        check(timeoutMs >= 1, "--timeout must be 1 or more.");
        check(intervalMs >= 1, "--reporting-interval must be 1 or more.");
        final PrintWriter err = spec.commandLine().getErr();
        if (core >= 0)
        {
            err.println(ThreadPinning.pin(core));
        }
        final Reading start = Reading.take(0, 0);
        try (TopicConsumer consumer = connect())
        {
            final StopSignal signal = new StopSignal(consumer::wakeup);
            try
            {
                if (!consumer.awaitReady(READY_TIMEOUT_NS) && !signal.isStopped())
                {
                    throw new IllegalStateException("No topic " + topic + " can be read at " + bootstrap + ".");
                }
                run(consumer, signal, start, System.currentTimeMillis() - start.timeMs());
            }
            finally
            {
                signal.done();
            }
        }
        if (records < messages)
        {
            err.println("Only " + records + " of " + messages + " records came.");
            return 1;
        }
        return 0;
    }

    private TopicConsumer connect()
    {
        try
        {
            return TopicConsumer.connect(context());
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(spec.commandLine(), ex.getMessage(), ex);
        }
    }

    private ConsumerContext context()
    {
        final ConsumerContext context = new ConsumerContext().bootstrapServers(bootstrap).topic(topic)
            .startPosition(isFromLatest ? StartPosition.latest() : StartPosition.earliest())
            .frameHandler(capture.capture())
            .status(new StatusSettings().countersFile(counters))
            .listener(new ConsumerListener()
            {
                @Override
                public void onCaptureFull(final String file, final long frames, final long size)
                {
                    CaptureOptions.sayFull(spec.commandLine().getErr(), file, frames, size);
                }
            });
        return fetchSize == 0 ? context : context.fetchMaxBytes(fetchSize);
    }

    private void run(final TopicConsumer consumer, final StopSignal signal, final Reading start, final long readyMs)
    {
        final PrintWriter out = spec.commandLine().getOut();
        if (!isHeaderHidden)
        {
            out.println((isDetailed ? "time, threadId, " : "start.time, end.time, ") + PerfColumns.NAMES);
        }
        final Reading ready = Reading.take(0, 0);
        Reading last = ready;
        long lastRecordMs = ready.timeMs();
        while (records < messages && !signal.isStopped())
        {
            final int polled = consumer.controlledPoll(this, RECORD_LIMIT, WAIT_NS);
            final long nowMs = System.currentTimeMillis();
            if (polled > 0)
            {
                lastRecordMs = nowMs;
            }
            else if (nowMs - lastRecordMs >= timeoutMs)
            {
                break;
            }
            if (isDetailed && nowMs - last.timeMs() >= intervalMs)
            {
                last = interval(out, last);
            }
        }
        final Reading end = Reading.take(records, bytes);
        if (!isDetailed)
        {
            // From the first moment on, as Kafka's tool measures; what reading cost, from when it could begin.
            final Reading from = new Reading(start.timeMs(), 0, 0, ready.cpuNs(), ready.allocatedBytes());
            out.println(PerfColumns.time(start.timeMs()) + ", " + PerfColumns.time(end.timeMs()) + ", " +
                PerfColumns.between(from, end, end, readyMs));
        }
        else if (end.records() > last.records())
        {
            interval(out, last);
        }
        out.flush();
    }

    private Reading interval(final PrintWriter out, final Reading last)
    {
        final Reading now = Reading.take(records, bytes);
        out.println(PerfColumns.time(now.timeMs()) + ", 0, " + PerfColumns.between(last, now, now, 0));
        out.flush();
        // Taken anew: what the line itself cost is nobody's.
        return Reading.take(records, bytes);
    }

    @Override
    public Action onRecord(final Record record)
    {
        bytes += Math.max(0, record.keyLength()) + Math.max(0, record.valueLength());
        return ++records == messages ? Action.BREAK : Action.CONTINUE;
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
