// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.compression.Decompressor;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.LegacyMessageSet;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.protocol.record.StoredBatchFlyweight;

import java.nio.ByteOrder;

/**
 * Reads a record set as the fetch cycle does: batch by batch, in every format, down to the last header. Checksums are
 * computed and recorded but not compared, because a fuzzer would get no further otherwise.
 */
final class RecordSetWalk
{
    private static final int INITIAL_LENGTH = 64;
    private static final int MAX_LENGTH = 1 << 14;
    private static final int PARTITION = 7;
    private static final long OFFSET_SHIFT = 1000;
    private static final int REPEATED_RECORD = 2;
    private static final byte[] KEY = {'k'};

    private final RecordMemory memory;
    private final Readout readout;
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight record = new RecordFlyweight();
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
    private final LegacyMessageSet set = new LegacyMessageSet();
    private final StoredBatchFlyweight stored = new StoredBatchFlyweight();

    private RecordSetWalk(final RecordMemory memory, final Readout readout)
    {
        this.memory = memory;
        this.readout = readout;
    }

    static void read(final RecordMemory memory, final int index, final int limit, final Readout readout)
    {
        new RecordSetWalk(memory, readout).readSet(index, limit);
    }

    /** Reads a set of messages from a compressed message. */
    static void readMessages(final RecordMemory memory, final int index, final int limit, final Readout readout)
    {
        final LegacyMessageSet set = new LegacyMessageSet();
        readout.value("lastOffset", set.wrap(memory, index, limit, OFFSET_SHIFT).lastOffset());
        set.wrap(memory, index, limit, OFFSET_SHIFT);
        while (set.next())
        {
            readout.value("offset", set.offset());
            readout.values(set.message());
            readout.value("checksum", set.message().computeCrc());
            readout.value("again", true).value("offset", set.offset());
        }
        readout.value("flaw", set.flaw());
    }

    private void readSet(final int index, final int limit)
    {
        int next = index;
        while (next < limit)
        {
            readout.within(memory, next, limit);
            final int status = batch.wrap(memory, next, limit);
            readout.value("batch", status);
            switch (status)
            {
                case RecordBatchFlyweight.COMPLETE:
                    readBatch();
                    next = batch.limit();
                    break;
                case RecordBatchFlyweight.LEGACY:
                    next = readMessage(next, limit);
                    break;
                case RecordBatchFlyweight.MALFORMED:
                    readout.value("flaw", batch.flaw());
                    return;
                default:
                    return;
            }
        }
    }

    private void readBatch()
    {
        readout.values(batch);
        readout.value("checksum", batch.computeCrc());
        stored.wrap(batch, PARTITION, 0);
        readStored();
        if (batch.compressionType() == CompressionType.NONE || batch.recordCount() == 0)
        {
            record.wrap(batch, memory, batch.recordsIndex(), batch.limit(), PARTITION);
            readRecords();
            return;
        }
        final int start = batch.recordsIndex();
        decompressed(batch.compressionType(), batch.magic(), start, batch.limit() - start, (output, length) ->
        {
            record.wrap(batch, output, 0, length, PARTITION);
            readRecords();
        });
    }

    /** @return the index of the next one, or the limit if none can follow. */
    private int readMessage(final int index, final int limit)
    {
        final int status = message.wrap(memory, index, limit);
        readout.value("message", status);
        if (status != LegacyMessageFlyweight.COMPLETE)
        {
            readout.value("flaw", status == LegacyMessageFlyweight.MALFORMED ? message.flaw() : "none");
            return limit;
        }
        readout.values(message);
        readout.value("checksum", message.computeCrc());
        stored.wrapLegacy(message, PARTITION).range(message.offset(), message.offset(), 1, 0);
        readStored();
        if (message.compressionType() == CompressionType.NONE)
        {
            record.wrapLegacy(message, memory, index, message.limit(), 0, PARTITION);
            readRecords();
        }
        else if (message.valueLength() > 0)
        {
            decompressed(message.compressionType(), message.magic(), message.valueIndex(), message.valueLength(),
                this::readInnerMessages);
        }
        return message.limit();
    }

    private void readInnerMessages(final RecordMemory output, final int length)
    {
        final long lastOffset = set.wrap(output, 0, length, 0).lastOffset();
        readout.value("lastOffset", lastOffset).value("flaw", set.flaw());
        record.wrapLegacy(message, output, 0, length, message.offset() - lastOffset, PARTITION);
        readRecords();
    }

    /** Reads a batch as a handler of whole batches does. */
    private void readStored()
    {
        readout.values(stored);
        readout.bytes("stored", stored.byteBuffer());
    }

    private void readRecords()
    {
        int count = 0;
        while (record.next())
        {
            readRecord();
            if (++count == REPEATED_RECORD)
            {
                record.stepBack();
                record.stepBack();
                readout.value("again", record.next());
                readRecord();
            }
        }
        readout.value("flaw", record.flaw());
        readout.value("further", record.next());
    }

    private void readRecord()
    {
        readout.values(record);
        readout.bytes("keyBytes", record.keyByteBuffer());
        readout.bytes("valueBytes", record.valueByteBuffer());
        readNumbers(-1);
        readNumbers(record.valueLength() - Long.BYTES);
        readNumbers(record.valueLength() - Integer.BYTES);
        readNumbers(record.valueLength() - Integer.BYTES + 1);
        if (record.headerCount() > 0)
        {
            final RecordHeadersFlyweight headers = record.headers();
            while (headers.next())
            {
                readout.values(headers);
            }
            readout.value("named", record.headers().next(KEY));
        }
    }

    /** Reads numbers in the value, or that they are outside of it. */
    private void readNumbers(final int at)
    {
        for (final ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN})
        {
            try
            {
                readout.value("int", record.valueInt(at, order));
                readout.value("long", record.valueLong(at, order));
            }
            catch (final IndexOutOfBoundsException ex)
            {
                readout.value("outside", ex.getMessage());
            }
        }
    }

    /** Reads the decompressed bytes. */
    @FunctionalInterface
    private interface Decompressed
    {
        void read(RecordMemory output, int length);
    }

    private void decompressed(
        final int codec, final int magic, final int index, final int length, final Decompressed then)
    {
        try (Decompressor decompressor = new Decompressor(INITIAL_LENGTH, MAX_LENGTH))
        {
            final int outputLength = decompress(decompressor, codec, magic, index, length);
            if (outputLength >= 0)
            {
                final RecordMemory output = new RecordMemory(decompressor.output());
                final int room = output.capacity() - outputLength;
                // The bytes after the output are the same as those around the frame.
                output.buffer().setMemory(outputLength, room, memory.buffer().getByte(0));
                readout.within(output, 0, outputLength);
                then.read(output, outputLength);
            }
        }
    }

    private int decompress(
        final Decompressor decompressor, final int codec, final int magic, final int index, final int length)
    {
        try
        {
            return decompressor.decompress(codec, magic, memory.byteBuffer(), index, length);
        }
        catch (final WireFormatException refused)
        {
            readout.refusal(refused.getMessage());
            return -1;
        }
    }
}
