// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameReplay;
import picocli.CommandLine.Command;
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
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * {@code odradek replay}: reads captured frames as they were read when they came, and says how fast that was.
 */
@Command(name = "replay", sortOptions = false,
    description = "Read the frames that tail, perf or a consumer has captured, without a broker.",
    footer = {"", "FORMAT is that of odradek tail."})
public final class ReplayCommand implements Callable<Integer>, RecordHandler
{
    private static final int RECORD_LIMIT = 10_000;
    private static final int CORPUS_MAX_BYTES = 4096;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The file given as --capture, or that of a FrameCapture.")
    private Path path;

    @Option(names = "--count", paramLabel = "N", description = "Stop after so many records (default: all).")
    private long count = Long.MAX_VALUE;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1",
        description = "Read it so often, with a line for each time (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(names = "--format", paramLabel = "FORMAT", description = "Write the records, too, each like this.")
    private String format;

    @Option(names = "--committed", description = "Leave out what transactions have not committed.")
    private boolean isCommitted;

    @Option(names = "--to-corpus", paramLabel = "FILE",
        description = "Do not read the records: add the frames to the inputs of the fuzz target fetch-response, " +
            "which are in protocol/src/test/resources/corpus/fetch-response.tsv.")
    private Path corpus;

    @Option(names = "--max-bytes", paramLabel = "BYTES",
        description = "Add only frames up to this size (default: " + CORPUS_MAX_BYTES + ").")
    private int maxBytes = CORPUS_MAX_BYTES;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    private final OutputStream stdout;
    private ByteOutput out;
    private RecordFormat recordFormat;
    private long bytes;

    /**
     * Writes to the standard output itself, as {@link TailCommand} does.
     */
    public ReplayCommand()
    {
        this(new FileOutputStream(FileDescriptor.out));
    }

    ReplayCommand(final OutputStream stdout)
    {
        this.stdout = stdout;
    }

    @Override
    public Integer call()
    {
        check(count >= 1, "--count must be 1 or more.");
        check(repeat >= 1, "--repeat must be 1 or more.");
        check(maxBytes >= 1, "--max-bytes must be 1 or more.");
        final PrintWriter err = spec.commandLine().getErr();
        try (CapturedFrames frames = CapturedFrames.open(path))
        {
            if (format != null)
            {
                out = new ByteOutput(stdout);
                recordFormat = format(frames.topic());
            }
            // Records that are written have standard output to themselves.
            final PrintWriter report = format == null ? spec.commandLine().getOut() : err;
            report.println(describe(frames));
            if (frames.isTorn())
            {
                err.println("odradek: what follows the last frame of " + path + " is not whole");
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
        return 0;
    }

    private RecordFormat format(final String topic)
    {
        try
        {
            return new RecordFormat(format, topic);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(spec.commandLine(), ex.getMessage(), ex);
        }
    }

    private static String describe(final CapturedFrames frames)
    {
        final int last = frames.count() - 1;
        return "topic " + frames.topic() + ": " + frames.count() + " frames of " + frames.bytes() + " bytes" +
            (last < 0 ? "" : ", from " + Instant.ofEpochMilli(frames.timeMs(0)) + " to " +
                Instant.ofEpochMilli(frames.timeMs(last))) +
            (frames.missedCount() == 0 ? "" : "; " + frames.missedCount() + " more found no room");
    }

    private void replay(final CapturedFrames frames, final PrintWriter report, final PrintWriter err)
    {
        try (FrameReplay replay = new FrameReplay(frames, () -> context(err)))
        {
            for (int pass = 0; pass < repeat && !isBroken(); pass++)
            {
                bytes = 0;
                final long startNs = System.nanoTime();
                final long records = replay(replay);
                final long elapsedNs = System.nanoTime() - startNs;
                report.println(String.format(Locale.ROOT, "%d records, %d bytes of keys and values, %.1f ns per record",
                    records, bytes, records == 0 ? 0.0 : (double)elapsedNs / records));
                replay.rewind();
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
            .errorHandler((error) -> err.println("odradek: " + error.getMessage()));
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

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
