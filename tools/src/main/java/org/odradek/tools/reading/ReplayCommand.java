// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.record.Record;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameReplay;
import org.odradek.tools.CommandOptions;
import org.odradek.tools.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;

/**
 * The command {@code odradek replay}, which reads captured frames as the consumer read them, and measures the time.
 * Exit code 1 means that a partition has stopped, for example at a corrupt batch.
 */
@Command(name = "replay", sortOptions = false,
    description = "Read frames that tail, perf or a consumer has captured, without a broker.",
    footer = {"", "FORMAT and TYPE are the same as of odradek tail."})
public final class ReplayCommand implements Callable<Integer>, RecordHandler
{
    private static final int RECORD_LIMIT = 10_000;
    private static final int CORPUS_MAX_BYTES = 4096;

    @Mixin
    private CommandOptions options;

    @Parameters(paramLabel = "FILE", description = "The file given as --capture, or that of a FrameCapture.")
    private Path path;

    @Option(names = "--count", paramLabel = "N", description = "Stop after N records (default: all).")
    private long count = Long.MAX_VALUE;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1",
        description = "Read the file N times and print a line for each (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(names = "--format", paramLabel = "FORMAT", description = "Also write the records in this format.")
    private String format;

    @Option(names = "--key-type", paramLabel = "TYPE", defaultValue = "TEXT",
        description = "With --format: as for odradek tail.")
    private ValueType keyType;

    @Option(names = "--value-type", paramLabel = "TYPE", defaultValue = "TEXT",
        description = "With --format: as for odradek tail.")
    private ValueType valueType;

    @Option(names = "--raw", description = "With --format: as for odradek tail.")
    private boolean isRaw;

    @Option(names = "--committed", description = "Leave out records of transactions that are not committed.")
    private boolean isCommitted;

    @Option(names = "--to-corpus", paramLabel = "FILE",
        description = "Do not read the records: add the frames to the inputs of the fuzz target fetch-response, " +
            "which are in protocol/src/test/resources/corpus/fetch-response.tsv.")
    private Path corpus;

    @Option(names = "--max-bytes", paramLabel = "BYTES",
        description = "Add only frames up to this size (default: " + CORPUS_MAX_BYTES + ").")
    private int maxBytes = CORPUS_MAX_BYTES;

    private final OutputStream stdout;
    private final boolean isTerminal;
    private final boolean isFile;
    private ByteOutput out;
    private RecordFormat recordFormat;
    private long bytes;
    private int stopped;

    /**
     * Writes records directly to the standard output, like {@link TailCommand}.
     */
    public ReplayCommand()
    {
        this(new FileOutputStream(FileDescriptor.out), CommandOptions.mayBeTerminal(), CommandOptions.isFile());
    }

    ReplayCommand(final OutputStream stdout, final boolean isTerminal, final boolean isFile)
    {
        this.stdout = stdout;
        this.isTerminal = isTerminal;
        this.isFile = isFile;
    }

    @Override
    public Integer call()
    {
        options.check(count >= 1, "--count must be 1 or more.");
        options.check(repeat >= 1, "--repeat must be 1 or more.");
        options.check(maxBytes >= 1, "--max-bytes must be 1 or more.");
        final PrintWriter err = options.err();
        try (CapturedFrames frames = CapturedFrames.open(path))
        {
            if (format != null)
            {
                out = new ByteOutput(stdout, isFile);
                recordFormat = options.checked(() ->
                    new RecordFormat(format, frames.topic(), isTerminal && !isRaw, keyType, valueType));
            }
            // Nothing but records is written to standard output.
            final PrintWriter report = format == null ? options.out() : err;
            report.println(describe(frames));
            if (frames.isTorn())
            {
                err.println("odradek: " + path + " ends with an incomplete frame");
            }
            if (corpus != null)
            {
                final CorpusSeeds seeds = new CorpusSeeds(corpus, maxBytes);
                for (int frame = 0; frame < frames.count(); frame++)
                {
                    seeds.add(frames, frame);
                }
                seeds.write();
                report.println(seeds);
            }
            else
            {
                replay(frames, report, err);
            }
            report.flush();
            err.flush();
        }
        return stopped > 0 ? 1 : 0;
    }

    private static String describe(final CapturedFrames frames)
    {
        final int last = frames.count() - 1;
        return "topic " + frames.topic() + ": " + Table.counted(frames.count(), "frame") + " of " + frames.bytes() +
            " bytes" +
            (last < 0 ? "" : ", from " + Instant.ofEpochMilli(frames.timeMs(0)) + " to " +
                Instant.ofEpochMilli(frames.timeMs(last))) +
            (frames.missedCount() == 0 ? "" : "; " + frames.missedCount() + " more did not fit");
    }

    private void replay(final CapturedFrames frames, final PrintWriter report, final PrintWriter err)
    {
        try (FrameReplay replay = new FrameReplay(frames, () -> context(err)))
        {
            for (int pass = 0; pass < repeat && !isBroken(); pass++)
            {
                bytes = 0;
                // This connects a consumer, which is no part of the reading.
                replay.rewind();
                final long startNs = System.nanoTime();
                final long records = replay(replay);
                final long elapsedNs = System.nanoTime() - startNs;
                report.println(Table.counted(records, "record") + ", " + bytes + " bytes of keys and values, " +
                    Table.time(records == 0 ? 0 : (double)elapsedNs / records) + " per record");
            }
        }
    }

    private long replay(final FrameReplay replay)
    {
        long records = 0;
        while (records < count && !replay.isDone() && !isBroken())
        {
            records += replay.poll(this, (int)Math.min(RECORD_LIMIT, count - records));
        }
        if (out != null)
        {
            out.flush();
            out.checkFile();
        }
        return records;
    }

    private boolean isBroken()
    {
        return out != null && out.isBroken();
    }

    private ConsumerContext context(final PrintWriter err)
    {
        return new ConsumerContext()
            .isolationLevel(isCommitted ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED)
            .errorHandler((error) -> err.println("odradek: " + error.getMessage()))
            .listener(new ConsumerListener()
            {
                @Override
                public void onPartitionStopped(
                    final int partition, final long nextOffset, final StopReason reason, final short errorCode)
                {
                    stopped++;
                }
            });
    }

    @Override
    public void onRecord(final Record record)
    {
        bytes += Math.max(0, record.keyLength()) + Math.max(0, record.valueLength());
        if (recordFormat != null)
        {
            recordFormat.write(record, out);
        }
    }
}
