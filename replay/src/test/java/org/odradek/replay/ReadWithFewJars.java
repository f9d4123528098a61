// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.CorruptBatchPolicy;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.StopReason;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Replays a capture file, skipping corrupt batches, and returns the number of records and then the message of each
 * error and the reason of each stop. A class loader of its own loads it for {@link CodecsLeftOutTest}.
 */
public final class ReadWithFewJars implements Function<Path, List<String>>, ConsumerListener
{
    private final List<String> errors = new ArrayList<>();
    private long records;

    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        errors.add(reason.toString());
    }

    @Override
    public List<String> apply(final Path file)
    {
        try (CapturedFrames frames = CapturedFrames.open(file);
            FrameReplay replay = new FrameReplay(frames,
                () -> new ConsumerContext().corruptBatchPolicy(CorruptBatchPolicy.SKIP).listener(this)
                    .errorHandler((error) -> errors.add(error.getMessage()))))
        {
            while (!replay.isDone())
            {
                replay.poll((record) -> records++, 1_000);
            }
        }
        errors.add(0, Long.toString(records));
        return errors;
    }
}
