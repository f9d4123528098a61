// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.agrona.BufferUtil;
import org.odradek.benchmarks.bare.BareFetch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import static org.odradek.benchmarks.bare.BareFetch.expect;

/**
 * The floor of what one thread can do: fetch, walk the batch headers, send the next fetch, then check and parse what
 * came, in place. No cluster, no seek, no recovery, no callback: the distance from here to a consumer is what its
 * design costs.
 */
final class BareLoop implements Arm
{
    private static final int BATCH_LENGTH_INDEX = 8;
    private static final int MAGIC_INDEX = 16;
    private static final int CRC_INDEX = 17;
    private static final int ATTRIBUTES_INDEX = 21;
    private static final int LAST_OFFSET_DELTA_INDEX = 23;
    private static final int RECORD_COUNT_INDEX = 57;
    private static final int RECORDS_INDEX = 61;
    private static final int LENGTH_BEFORE_BATCH = 12;
    private static final int CODEC_OR_CONTROL = 0x27;

    private final CRC32C crc32c = new CRC32C();
    private final long endOffset;
    private final boolean isCheckingCrcs;
    private final BareFetch fetch;
    private int batchesLimit;

    BareLoop(final ArmSettings settings)
    {
        endOffset = settings.recordsPerPartition();
        isCheckingCrcs = settings.isCheckingCrcs();
        try
        {
            fetch = new BareFetch(settings.leaderAddress(), settings.topic(), new BareFetch.Limits(
                ArmSettings.FETCH_MAX_BYTES, ArmSettings.FETCH_MIN_BYTES, ArmSettings.FETCH_MAX_WAIT_MS), true);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void pass(final Tally tally)
    {
        try
        {
            long nextOffset = 0;
            fetch.send(nextOffset);
            while (nextOffset < endOffset)
            {
                final ByteBuffer frame = fetch.receive();
                final int batchesIndex = frame.position();
                nextOffset = walkHeaders(frame, batchesIndex, nextOffset);
                if (nextOffset < endOffset)
                {
                    fetch.send(nextOffset);
                }
                readBatches(frame, batchesIndex, tally);
            }
            expect("end offset", nextOffset == endOffset, nextOffset);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Nothing is left in flight: the last fetch of a pass is the one that brings the last record. */
    @Override
    public void rest()
    {
    }

    @Override
    public void close()
    {
        fetch.close();
    }

    private long walkHeaders(final ByteBuffer frame, final int batchesIndex, final long fetchOffset)
    {
        long nextOffset = fetchOffset;
        int index = batchesIndex;
        while (frame.limit() - index >= RECORDS_INDEX)
        {
            final int batchLength = frame.getInt(index + BATCH_LENGTH_INDEX);
            expect("batch length", batchLength >= RECORDS_INDEX - LENGTH_BEFORE_BATCH, batchLength);
            if (batchLength > frame.limit() - index - LENGTH_BEFORE_BATCH)
            {
                break;
            }
            expect("magic", frame.get(index + MAGIC_INDEX) == 2, frame.get(index + MAGIC_INDEX));
            expect("base offset", frame.getLong(index) == nextOffset, frame.getLong(index));
            nextOffset += frame.getInt(index + LAST_OFFSET_DELTA_INDEX) + 1;
            index += LENGTH_BEFORE_BATCH + batchLength;
        }
        expect("response without a whole batch", index > batchesIndex, frame.limit() - batchesIndex);
        batchesLimit = index;
        return nextOffset;
    }

    private void readBatches(final ByteBuffer frame, final int batchesIndex, final Tally tally)
    {
        final long frameAddress = BufferUtil.address(frame);
        int index = batchesIndex;
        while (index < batchesLimit)
        {
            frame.limit(batchesLimit);
            final int limit = index + LENGTH_BEFORE_BATCH + frame.getInt(index + BATCH_LENGTH_INDEX);
            if (isCheckingCrcs)
            {
                frame.limit(limit).position(index + ATTRIBUTES_INDEX);
                checkCrc(frame, frame.getInt(index + CRC_INDEX));
            }
            final short attributes = frame.getShort(index + ATTRIBUTES_INDEX);
            expect("attributes", (attributes & CODEC_OR_CONTROL) == 0, attributes);

            final int count = frame.getInt(index + RECORD_COUNT_INDEX);
            BareRecords.read(frameAddress + index + RECORDS_INDEX, frameAddress + limit, count, tally);
            index = limit;
        }
    }

    private void checkCrc(final ByteBuffer bytes, final int crc)
    {
        crc32c.reset();
        crc32c.update(bytes);
        expect("CRC", (int)crc32c.getValue() == crc, crc);
    }
}
