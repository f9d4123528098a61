// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.affinity.CoreSet;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.StopReason;
import org.odradek.tools.CommandOptions;
import org.odradek.tools.StopSignal;
import org.odradek.tools.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/**
 * The command {@code odradek tail}, which writes the records of a topic, and nothing else, to standard output.
 */
@Command(name = "tail", sortOptions = false, description = "Write the records of a topic to standard output.",
    footer = {"",
        "FORMAT: %%t topic, %%p partition, %%o offset, %%T timestamp, %%k key, %%K its length, %%s value, " +
            "%%S its length, %%h headers, %%%% a percent sign; \\n \\t \\r \\0 \\\\. A null key or value is " +
            "written as NULL and has length -1.",
        "TYPE: HEX writes hexadecimal digits; INT, LONG and DOUBLE are big-endian numbers of 4, 8 and 8 bytes, and " +
            "what has another length is written as HEX.",
        "With --group the brokers choose the partitions. The group begins at its committed offsets, or else at the " +
            "POSITION, and commits the offsets of what has been written.",
        "POSITION: earliest, latest, an OFFSET, -N for N before the end, @MILLISECONDS, or 2026-11-21T08:00:00Z.",
        "Ctrl-C ends the command with a summary on standard error."})
public final class TailCommand implements Callable<Integer>
{
    @Mixin
    private CommandOptions options;

    @Mixin
    private ReadingOptions reading;

    @Option(names = "--partitions", paramLabel = "LIST", description = "Partitions such as 0-3,8 (default: all).")
    private String partitions;

    @Option(names = "--group", paramLabel = "GROUP", description = "Join this consumer group.")
    private String group;

    @Option(names = "--protocol", paramLabel = "AUTO|CONSUMER|CLASSIC",
        description = "With --group: by which protocol (default: as --config says, which is CLASSIC without the key " +
            "group.protocol; without --config AUTO, which is CONSUMER where the brokers have it, else CLASSIC).")
    private GroupProtocol protocol;

    @Option(names = "--from", paramLabel = "POSITION", defaultValue = "latest",
        description = "Start there (default: ${DEFAULT-VALUE}).")
    private String from;

    @Option(names = "--until", paramLabel = "POSITION",
        description = "Stop before it; latest is the end at the start of the command (default: never stop).")
    private String until;

    @Option(names = "--count", paramLabel = "N", description = "Stop after N records (default: never stop).")
    private long count = Long.MAX_VALUE;

    @Option(names = "--timeout", paramLabel = "MS", defaultValue = "10000",
        description = "Stop if the topic cannot be read after this time (default: ${DEFAULT-VALUE}). Later errors do " +
            "not stop the command. Not with --group.")
    private long timeoutMs;

    @Option(names = "--format", paramLabel = "FORMAT", description = "Format of a record (default: %%s\\n).")
    private String format = RecordFormat.DEFAULT;

    @Option(names = "--key-type", paramLabel = "TYPE", defaultValue = "TEXT",
        description = "What keys are: TEXT, HEX, INT, LONG or DOUBLE (default: ${DEFAULT-VALUE}).")
    private ValueType keyType;

    @Option(names = "--value-type", paramLabel = "TYPE", defaultValue = "TEXT",
        description = "What values are: as for --key-type (default: ${DEFAULT-VALUE}).")
    private ValueType valueType;

    @Option(names = "--raw", description = "Write control characters of records as they are, also to a terminal. " +
        "There they are escaped otherwise, such as \\n and \\x1b; without the launch script, also to a pipe.")
    private boolean isRaw;

    @Option(names = "--header", paramLabel = "NAME[=VALUE]",
        description = "Write only records with this header; if repeated, with all of them.")
    private List<String> headers = List.of();

    @Option(names = "--committed", description = "Leave out records of transactions that are not committed.")
    private boolean isCommitted;

    @Option(names = "--summary", description = "Always write a summary to standard error, not only after Ctrl-C.")
    private boolean isSummary;

    private final OutputStream stdout;
    private final boolean isTerminal;
    private final boolean isFile;

    /**
     * Writes directly to the standard output, not to {@link System#out}, which hides that the reader has ended.
     */
    public TailCommand()
    {
        this(new FileOutputStream(FileDescriptor.out), CommandOptions.mayBeTerminal(), CommandOptions.isFile());
    }

    TailCommand(final OutputStream stdout, final boolean isTerminal, final boolean isFile)
    {
        this.stdout = stdout;
        this.isTerminal = isTerminal;
        this.isFile = isFile;
    }

    @Override
    public Integer call()
    {
        final PrintWriter err = options.err();
        options.check(count >= 1, "--count must be 1 or more.");
        options.check(timeoutMs >= 1, "--timeout must be 1 or more.");
        final RecordFormat recordFormat = options.checked(() ->
            new RecordFormat(format, reading.topic(), isTerminal && !isRaw, keyType, valueType));
        final PartitionPosition start = options.checked("--from", () -> PartitionPosition.parse(from));
        final PartitionPosition end =
            until == null ? null : options.checked("--until", () -> PartitionPosition.parse(until));
        options.check(group == null || partitions == null && until == null,
            "--group cannot be combined with --partitions or --until.");
        options.check(group != null || protocol == null, "--protocol needs --group.");
        options.check(group == null || !start.isBeforeEnd(), "--from cannot be -N with --group.");
        final CoreSet wanted =
            partitions == null ? null : options.checked("--partitions", () -> CoreSet.parse(partitions));
        final List<Tail.HeaderFilter> filters = headers.stream().map(Tail.HeaderFilter::new).toList();

        options.check(wanted == null || !wanted.isEmpty(), "--partitions must name a partition.");
        final ByteOutput out = new ByteOutput(stdout, isFile);
        final Tail tail = new Tail(count, recordFormat, filters, out, group != null);
        // The consumer is closed first, so a member has left its group before the JVM exits.
        try (StopSignal signal = new StopSignal();
            TopicConsumer consumer = options.checked(() -> TopicConsumer.connect(context(tail, start, err))))
        {
            signal.onStop(consumer::wakeup);
            if (group == null)
            {
                begin(consumer, new StartWaits(reading, consumer, signal, timeoutMs), tail, wanted, start, end);
            }
            tail.run(consumer, signal);
            out.checkFile();
            if (isSummary || signal.isStopped())
            {
                err.println(tail.summary());
            }
            return tail.hasFailed(consumer) || reading.isCaptureEmpty() ? 1 : 0;
        }
        finally
        {
            err.flush();
        }
    }

    private void begin(
        final TopicConsumer consumer,
        final StartWaits waits,
        final Tail tail,
        final CoreSet wanted,
        final PartitionPosition start,
        final PartitionPosition end)
    {
        if (!waits.awaitReady())
        {
            return;
        }
        final int partitionCount = consumer.partitionCount();
        final int beyond = wanted == null ? -1 : wanted.nextCore(partitionCount);
        options.check(beyond < 0,
            "Partition " + beyond + " does not exist: " + reading.topic() + " has " +
            Table.counted(partitionCount, "partition") + ".");
        tail.add(consumer, waits, IntStream.range(0, partitionCount)
            .filter((partition) -> wanted == null || wanted.contains(partition)).boxed().toList(), start, end);
        // Until the leaders can be reached.
        waits.awaitReady();
    }

    private ConsumerContext context(final Tail tail, final PartitionPosition start, final PrintWriter err)
    {
        final ConsumerContext context;
        if (group == null)
        {
            context = reading.context(err).noPartitions().startPosition(StartPosition.latest());
        }
        else
        {
            context = reading.groupContext(err, group, protocol).startPosition(start.start());
            context.group().commitPolicy(CommitPolicy.explicit());
        }
        if (isCommitted)
        {
            context.isolationLevel(IsolationLevel.READ_COMMITTED);
        }
        return context
            .listener(new ConsumerListener()
            {
                @Override
                public void onGap(
                    final int partition, final long fromOffset, final long toOffset, final GapReason reason)
                {
                    ReadingOptions.report(err, "offsets " + fromOffset + " to " + (toOffset - 1) + " of partition " +
                        partition + " are missing: " + reason);
                }

                @Override
                public void onCaptureFull(final Path file, final long frames, final long bytes)
                {
                    reading.reportFull(err, file, frames, bytes);
                }

                @Override
                public void onPartitionStopped(
                    final int partition, final long nextOffset, final StopReason reason, final short errorCode)
                {
                    tail.onPartitionStopped();
                }
            });
    }
}
