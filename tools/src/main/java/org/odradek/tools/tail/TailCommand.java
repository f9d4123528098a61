// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.StatusSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.CoreSet;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.tools.CaptureOptions;
import org.odradek.tools.StopSignal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * {@code odradek tail}: writes the records of a topic to standard output, and nothing else there.
 */
@Command(name = "tail", sortOptions = false, description = "Write the records of a topic to standard output.",
    footer = {"",
        "FORMAT: %%t topic, %%p partition, %%o offset, %%T timestamp, %%k key, %%K its length, %%s value,",
        "%%S its length, %%h headers, %%%% a percent sign; \\n \\t \\r \\0 \\\\. A key or value that is null is NULL,",
        "its length -1.",
        "PLACE: earliest, latest, an OFFSET, -N for N before the end, @MILLISECONDS, or 2026-11-21T08:00:00Z.",
        "Ctrl-C ends it with a summary on standard error."})
public final class TailCommand implements Callable<Integer>
{
    private static final long READY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "What to read.")
    private String topic;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT,...", defaultValue = "localhost:9092",
        description = "Brokers to ask first (default: ${DEFAULT-VALUE}).")
    private String bootstrap;

    @Option(names = "--partitions", paramLabel = "LIST", description = "Such as 0-3,8 (default: all there are).")
    private String partitions;

    @Option(names = "--from", paramLabel = "PLACE", defaultValue = "latest",
        description = "Begin there (default: ${DEFAULT-VALUE}).")
    private String from;

    @Option(names = "--until", paramLabel = "PLACE",
        description = "Stop before it; latest means what is the end now (default: never stop).")
    private String until;

    @Option(names = "--count", paramLabel = "N", description = "Stop after so many records (default: never stop).")
    private long count = Long.MAX_VALUE;

    @Option(names = "--format", paramLabel = "FORMAT", description = "How to write a record (default: %%s\\n).")
    private String format = RecordFormat.DEFAULT;

    @Option(names = "--header", paramLabel = "NAME[=VALUE]",
        description = "Write records with this header only; given more than once, with all of them.")
    private List<String> headers = List.of();

    @Option(names = "--committed", description = "Leave out what transactions have not committed.")
    private boolean isCommitted;

    @Option(names = "--counters", paramLabel = "FILE",
        description = "Keep counters there, for stat, lag and errors to read meanwhile.")
    private Path counters;

    @Option(names = "--summary", description = "Write a summary to standard error at any end, not only at Ctrl-C.")
    private boolean isSummary;

    @Mixin
    private CaptureOptions capture;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    private final OutputStream stdout;

    /**
     * Writes to the standard output itself, not to {@link System#out}, which hides that nobody reads any more.
     */
    public TailCommand()
    {
        this(new FileOutputStream(FileDescriptor.out));
    }

    TailCommand(final OutputStream stdout)
    {
        this.stdout = stdout;
    }

    @Override
    public Integer call()
    {
        final PrintWriter err = spec.commandLine().getErr();
        check(count >= 1, "--count must be 1 or more.");
        final RecordFormat recordFormat = checked(() -> new RecordFormat(format, topic));
        final Place start = checked(() -> Place.parse(from));
        final Place end = until == null ? null : checked(() -> Place.parse(until));
        final CoreSet wanted = partitions == null ? null : checked(() -> CoreSet.parse(partitions));
        final List<HeaderFilter> filters = new ArrayList<>();
        headers.forEach((header) -> filters.add(new HeaderFilter(header)));

        final Tail tail = new Tail(count, recordFormat, filters, new ByteOutput(stdout));
        try (TopicConsumer consumer = checked(() -> TopicConsumer.connect(context(tail, err))))
        {
            final StopSignal signal = new StopSignal(consumer::wakeup);
            try
            {
                begin(consumer, tail, wanted, start, end, signal);
                tail.run(consumer, signal);
                if (isSummary || signal.isStopped())
                {
                    err.println(tail.summary());
                }
            }
            finally
            {
                err.flush();
                signal.done();
            }
        }
        return tail.isAnyStopped() ? 1 : 0;
    }

    private void begin(
        final TopicConsumer consumer,
        final Tail tail,
        final CoreSet wanted,
        final Place start,
        final Place end,
        final StopSignal signal)
    {
        if (!consumer.awaitReady(READY_TIMEOUT_NS))
        {
            if (signal.isStopped())
            {
                return;
            }
            throw new IllegalStateException("No topic " + topic + " has been found at " + bootstrap + ".");
        }
        final int partitionCount = consumer.partitionCount();
        final int beyond = wanted == null ? -1 : wanted.nextCore(partitionCount);
        check(beyond < 0, "Partition " + beyond + " is not there: " + topic + " has " + partitionCount + ".");
        for (int partition = 0; partition < partitionCount && !signal.isStopped(); partition++)
        {
            if (wanted == null || wanted.contains(partition))
            {
                tail.add(consumer, partition, start, end);
            }
        }
    }

    private ConsumerContext context(final Tail tail, final PrintWriter err)
    {
        return new ConsumerContext()
            .bootstrapServers(bootstrap)
            .topic(topic)
            .partitions()
            .frameHandler(capture.capture())
            .status(new StatusSettings().countersFile(counters))
            .isolationLevel(isCommitted ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED)
            .errorHandler((error) -> say(err, error.getMessage()))
            .listener(new ConsumerListener()
            {
                @Override
                public void onGap(
                    final int partition, final long fromOffset, final long toOffset, final GapReason reason)
                {
                    say(err, "offsets " + fromOffset + " to " + (toOffset - 1) + " of partition " + partition +
                        " are left out: " + reason);
                }

                @Override
                public void onCaptureFull(final String file, final long frames, final long bytes)
                {
                    CaptureOptions.sayFull(err, file, frames, bytes);
                }

                @Override
                public void onPartitionStopped(final int partition, final long nextOffset, final short errorCode)
                {
                    tail.onPartitionStopped();
                }
            });
    }

    private static void say(final PrintWriter err, final String sentence)
    {
        err.println("odradek: " + sentence);
        err.flush();
    }

    private <T> T checked(final Supplier<T> parsing)
    {
        try
        {
            return parsing.get();
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(spec.commandLine(), ex.getMessage(), ex);
        }
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
