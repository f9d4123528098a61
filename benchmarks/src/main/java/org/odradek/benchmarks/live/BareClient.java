// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.bare.BareFetch;
import org.odradek.testkit.TopicClient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.zip.CRC32C;

import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;

import static org.odradek.benchmarks.bare.BareFetch.expect;

/**
 * The floor that broker and producer set: one thread that fetches partition 0, sends the next fetch, checks and parses
 * what came, and can do nothing else. Spinning it reads a socket that does not block; else it waits in the read.
 */
final class BareClient implements LiveClient
{
    private static final int BATCH_LENGTH_INDEX = 8;
    private static final int MAGIC_INDEX = 16;
    private static final int CRC_INDEX = 17;
    private static final int ATTRIBUTES_INDEX = 21;
    private static final int LAST_OFFSET_DELTA_INDEX = 23;
    private static final int RECORD_COUNT_INDEX = 57;
    private static final int RECORDS_INDEX = 61;
    private static final int LENGTH_BEFORE_BATCH = 12;

    private long nextOffset;
    private long fetches;
    private final CRC32C crc32c = new CRC32C();
    private final ValueSink sink;
    private final BareFetch fetch;

    BareClient(final ClientSettings settings, final ValueSink sink)
    {
        this.sink = sink;
        expect("number of partitions", settings.partitions().length == 1 && settings.partitions()[0] == 0,
            settings.partitions().length);
        try (TopicClient client = new TopicClient(settings.bootstrap()))
        {
            final Node leader = client.partition(settings.topic(), 0).leader();
            nextOffset = endOffset(client, new TopicPartition(settings.topic(), 0));
            fetch = new BareFetch(new InetSocketAddress(leader.host(), leader.port()), settings.topic(),
                new BareFetch.Limits(
                    ClientSettings.FETCH_MAX_BYTES, ClientSettings.FETCH_MIN_BYTES, ClientSettings.FETCH_MAX_WAIT_MS),
                !settings.isSpinning());
            fetch.send(nextOffset);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static long endOffset(final TopicClient client, final TopicPartition partition)
    {
        return client.admin().listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition)
            .toCompletionStage().toCompletableFuture().join().offset();
    }

    @Override
    public void poll()
    {
        try
        {
            final ByteBuffer frame = fetch.poll();
            if (frame != null)
            {
                fetches++;
                final int batchesIndex = frame.position();
                final long firstOffset = nextOffset;
                final int batchesLimit = walkHeaders(frame, batchesIndex);
                fetch.send(nextOffset);
                readBatches(frame, batchesIndex, batchesLimit, firstOffset);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private int walkHeaders(final ByteBuffer frame, final int batchesIndex)
    {
        final int limit = frame.limit();
        int index = batchesIndex;
        while (limit - index >= RECORDS_INDEX)
        {
            final int batchLength = frame.getInt(index + BATCH_LENGTH_INDEX);
            expect("batch length", batchLength >= RECORDS_INDEX - LENGTH_BEFORE_BATCH, batchLength);
            if (batchLength > limit - index - LENGTH_BEFORE_BATCH)
            {
                break;
            }
            expect("magic", frame.get(index + MAGIC_INDEX) == 2, frame.get(index + MAGIC_INDEX));
            nextOffset = frame.getLong(index) + frame.getInt(index + LAST_OFFSET_DELTA_INDEX) + 1;
            index += LENGTH_BEFORE_BATCH + batchLength;
        }
        return index;
    }

    /** The first batch may begin before the offset that was asked for. */
    private void readBatches(
        final ByteBuffer frame, final int batchesIndex, final int batchesLimit, final long firstOffset)
    {
        final int frameLimit = frame.limit();
        int index = batchesIndex;
        while (index < batchesLimit)
        {
            final int limit = index + LENGTH_BEFORE_BATCH + frame.getInt(index + BATCH_LENGTH_INDEX);
            frame.limit(limit).position(index + ATTRIBUTES_INDEX);
            crc32c.reset();
            crc32c.update(frame);
            expect("CRC", (int)crc32c.getValue() == frame.getInt(index + CRC_INDEX), frame.getInt(index + CRC_INDEX));
            final long baseOffset = frame.getLong(index);
            final int count = frame.getInt(index + RECORD_COUNT_INDEX);
            frame.position(index + RECORDS_INDEX);
            for (int i = 0; i < count; i++)
            {
                readRecord(frame, baseOffset, firstOffset);
            }
            frame.limit(frameLimit);
            index = limit;
        }
    }

    /** length | attributes | timestamp delta | offset delta | key length | key | value length | value | headers */
    private void readRecord(final ByteBuffer frame, final long baseOffset, final long firstOffset)
    {
        final int length = varint(frame);
        final int next = frame.position() + length;
        frame.get();
        varint(frame);
        final long offset = baseOffset + varint(frame);
        final int keyLength = varint(frame);
        frame.position(frame.position() + Math.max(0, keyLength));
        final int valueLength = varint(frame);
        final int valueIndex = frame.position();
        expect("record", valueLength >= Long.BYTES && valueIndex + valueLength <= next, valueLength);
        if (offset >= firstOffset)
        {
            sink.onValue(0, offset, valueLength, frame.getLong(valueIndex),
                frame.getLong(valueIndex + valueLength - Long.BYTES));
        }
        frame.position(next);
    }

    private static int varint(final ByteBuffer frame)
    {
        int zigzag = 0;
        int shift = 0;
        int next = frame.get();
        while (next < 0)
        {
            zigzag |= (next & 0x7F) << shift;
            shift += Byte.SIZE - 1;
            next = frame.get();
        }
        zigzag |= next << shift;
        return zigzag >>> 1 ^ -(zigzag & 1);
    }

    @Override
    public long fetches()
    {
        return fetches;
    }

    @Override
    public void close()
    {
        fetch.close();
    }
}
