// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerCounters;
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
    private boolean isPerhapsSound;
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
            isPerhapsSound = ex instanceof CodecUnavailableException || ex instanceof OutputLimitException;
            flaw = ex instanceof CodecUnavailableException ?
                ex.getMessage() : CompressionType.name(type) + ": " + ex.getMessage();
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

    /**
     * Returns true, once, after a decompression for which a library or memory was missing, or whose output was longer
     * than allowed, because that batch may be valid.
     */
    boolean takePerhapsSound()
    {
        final boolean wasPerhapsSound = isPerhapsSound;
        isPerhapsSound = false;
        return wasPerhapsSound;
    }

    public void free()
    {
        environment.budget().release(memory.capacity());
        decompressor.close();
    }
}
