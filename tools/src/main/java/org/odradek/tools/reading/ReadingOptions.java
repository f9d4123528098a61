// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.replay.FrameCapture;
import org.odradek.tools.ClusterOptions;
import org.odradek.tools.Table;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.nio.file.Path;

/**
 * The options of the commands that read a topic: which one, and where to write counters and captured frames.
 */
final class ReadingOptions
{
    @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic to read.")
    private String topic;

    @Mixin
    private ClusterOptions cluster;

    @Option(names = "--counters", paramLabel = "FILE", order = 1,
        description = "Keep counters in this file, which stat, lag and errors can read meanwhile.")
    private Path counters;

    @Option(names = "--capture", paramLabel = "FILE", order = 1,
        description = "Write the fetch frames to this file, for odradek replay; an existing file is replaced.")
    private Path capture;

    @Option(names = "--capture-limit", paramLabel = "BYTES", defaultValue = "268435456", order = 1,
        description = "Maximum size of the captured frames (default: ${DEFAULT-VALUE}).")
    private int captureLimit;

    private boolean hasReported;
    private boolean isCaptureEmpty;

    String topic()
    {
        return topic;
    }

    /**
     * @param err receives a sentence on each property that is ignored, and on each error.
     * @throws IllegalArgumentException in one sentence if the properties cannot be read, or one is refused.
     */
    ConsumerContext context(final PrintWriter err)
    {
        return complete(cluster.context(err), err);
    }

    /** As {@link #context} and {@link ClusterOptions#groupContext}. */
    ConsumerContext groupContext(final PrintWriter err, final String group, final GroupProtocol protocol)
    {
        return complete(cluster.groupContext(err, group, protocol), err);
    }

    private ConsumerContext complete(final ConsumerContext context, final PrintWriter err)
    {
        return context.topic(topic)
            .errorHandler((error) ->
            {
                hasReported = true;
                report(err, error.getMessage());
            })
            .frameHandler(capture == null ? null : new FrameCapture(capture, captureLimit))
            .countersFile(counters);
    }

    static void report(final PrintWriter err, final String sentence)
    {
        err.println("odradek: " + sentence);
        err.flush();
    }

    /** The brokers, for messages. */
    String cluster()
    {
        return cluster.toString();
    }

    /** The end of a sentence on what has not happened in time: errors of the consumer are shown where they occur. */
    String cause(final long timeoutMs)
    {
        return "no answer within " + timeoutMs + " ms" + (hasReported ? "; the error above says why." : ".");
    }

    /** Reports {@link org.odradek.consumer.handler.ConsumerListener#onCaptureFull} to the user. */
    void reportFull(final PrintWriter err, final Path file, final long frames, final long bytes)
    {
        isCaptureEmpty = frames == 0;
        report(err, isCaptureEmpty ? file + " is empty: the first frame does not fit into the " + captureLimit +
            " bytes of --capture-limit, which raises the limit" :
            file + " is full with " + Table.counted(frames, "frame") + " in " + bytes +
            " bytes: later frames are not captured; --capture-limit raises the limit");
    }

    /** Whether nothing was captured because the first frame was too large: a replay of the file would prove nothing. */
    boolean isCaptureEmpty()
    {
        return isCaptureEmpty;
    }
}
