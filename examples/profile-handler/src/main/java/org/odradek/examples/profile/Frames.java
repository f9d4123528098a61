// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples.profile;

import org.odradek.consumer.ConsumerContext;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameCapture;
import org.odradek.replay.FrameReplay;
import org.odradek.replay.WarmUp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens captured frames, or frames with built-in records if there are none yet. */
final class Frames
{
    private static final int BUILT_IN_RECORDS = 10_000;
    private static final int BUILT_IN_LIMIT_BYTES = 32 << 20;

    private Frames()
    {
    }

    /**
     * @param file of captured frames; empty for built-in ones.
     * @return the frames, to be closed by the caller.
     */
    static CapturedFrames open(final String file)
    {
        if (!file.isEmpty())
        {
            return CapturedFrames.open(Path.of(file));
        }
        try
        {
            final Path builtIn = Files.createTempFile("odradek", ".frames");
            builtIn.toFile().deleteOnExit();
            new WarmUp()
                .settings(() -> new ConsumerContext().frameHandler(new FrameCapture(builtIn, BUILT_IN_LIMIT_BYTES)))
                .run((record) -> {}, BUILT_IN_RECORDS);
            return CapturedFrames.open(builtIn);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Fails if a replay delivers nothing, because a benchmark of it would never end. */
    static void check(final FrameReplay replay)
    {
        if (replay.poll((record) -> {}, 1) == 0)
        {
            throw new IllegalArgumentException("the frames hold no records");
        }
        replay.rewind();
    }
}
