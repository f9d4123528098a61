// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.replay.FrameCapture;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.nio.file.Path;

/**
 * The options of a command whose fetch frames can be captured while it reads.
 */
public final class CaptureOptions
{
    @Option(names = "--capture", paramLabel = "FILE",
        description = "Write the fetch frames there, for odradek replay; a file that is there is replaced.")
    private Path file;

    @Option(names = "--capture-limit", paramLabel = "BYTES", defaultValue = "268435456",
        description = "As many of them as fit into so much (default: ${DEFAULT-VALUE}).")
    private int limitBytes;

    /**
     * @return the capture of one consumer, or null if none is wanted.
     */
    public FrameCapture capture()
    {
        return file == null ? null : new FrameCapture(file, limitBytes);
    }

    /**
     * Says that the file is full; see {@link ConsumerListener#onCaptureFull}.
     *
     * @param err where it is said.
     */
    public static void sayFull(final PrintWriter err, final String file, final long frames, final long bytes)
    {
        err.println("odradek: " + file + " is full with " + frames + " frames in " + bytes +
            " bytes: what comes now is not captured; --capture-limit makes room for more");
        err.flush();
    }
}
