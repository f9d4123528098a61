// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.compression.CodecUnavailableException;
import org.odradek.protocol.compression.Decompressor;
import org.odradek.protocol.compression.OutputLimitException;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.RecordMemory;

/** The decompressed records of one batch at a time, in memory that may grow. */
public final class DecompressedBatch
{
    private final Environment environment;
    private final Decompressor decompressor;
    int length;
    private StopReason reason = StopReason.CORRUPT_BATCH;
    String flaw;
    RecordMemory memory;

    /** @param initialLength the first length of the memory, in bytes. */
    public DecompressedBatch(final Environment environment, final int initialLength)
    {
        this.environment = environment;
        environment.budget().hold(initialLength);
        decompressor = new Decompressor(initialLength, environment.settings().decompressionBufferMaxLength,
            environment.budget()::findRoom);
        memory = new RecordMemory(decompressor.output());
    }

    /** @return false after a failure, which {@link #flaw} describes. */
    boolean decompress(
        final int type, final int magic, final RecordMemory source, final int index, final int sourceLength)
    {
        try
        {
            length = decompressor.decompress(type, magic, source.byteBuffer(), index, sourceLength);
            return true;
        }
        catch (final WireFormatException | CodecUnavailableException ex)
        {
            describe(type, ex);
            return false;
        }
        finally
        {
            if (decompressor.output() != memory.byteBuffer())
            {
                environment.budget().hold(decompressor.output().capacity() - memory.capacity());
                environment.counters().add(ConsumerCounters.BUFFERS_GROWN, 1);
                memory = new RecordMemory(decompressor.output());
            }
        }
    }

    private void describe(final int type, final RuntimeException failure)
    {
        if (failure instanceof CodecUnavailableException unavailable)
        {
            reason = unavailable.isMemoryMissing() ? StopReason.TOO_LARGE : StopReason.CODEC_UNAVAILABLE;
            flaw = failure.getMessage();
        }
        else
        {
            reason = failure instanceof OutputLimitException ? StopReason.TOO_LARGE : StopReason.CORRUPT_BATCH;
            flaw = CompressionType.name(type) + ": " + failure.getMessage();
        }
    }

    /**
     * Returns, once, the reason for which the last batch could not be decompressed: with a reason other than
     * CORRUPT_BATCH, the batch may be valid. Returns CORRUPT_BATCH if no decompression has failed.
     */
    StopReason takeReason()
    {
        final StopReason taken = reason;
        reason = StopReason.CORRUPT_BATCH;
        return taken;
    }

    public void free()
    {
        environment.budget().release(memory.capacity());
        decompressor.close();
    }
}
