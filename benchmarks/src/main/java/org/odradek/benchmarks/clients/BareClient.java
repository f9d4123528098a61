// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import static org.odradek.benchmarks.clients.BareFetch.expect;
import static org.odradek.benchmarks.rig.ThreeLongs.FIRST;
import static org.odradek.benchmarks.rig.ThreeLongs.SECOND;
import static org.odradek.benchmarks.rig.ThreeLongs.SMALLEST_VALUE;
import static org.odradek.benchmarks.rig.ThreeLongs.THIRD;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.zip.CRC32C;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.testkit.TopicClient;

/**
 * The floor that broker and producer set: one thread that fetches partition 0, walks the batch headers, sends the next
 * fetch, then checks and parses in place what has arrived. It has no cluster, no recovery and no callback: the distance
 * from here to a consumer is what the consumer's design costs. When it spins it reads a socket that does not block,
 * else it waits in the read.
 */
public final class BareClient implements Client
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
    private static final int VARINT_LENGTH_BITS = 4;
    private static final int VARINT_LENGTH_MASK = (1 << VARINT_LENGTH_BITS) - 1;

    private final CRC32C crc32c = new CRC32C();
    private final Sink sink;
    private final boolean isCheckingCrcs;
    private final long endOffset;
    private final BareFetch fetch;
    private long nextOffset;
    private long fetches;

    public BareClient(final Settings given, final Sink sink)
    {
        final Settings settings = Arms.held(given);
        this.sink = sink;
        isCheckingCrcs = settings.is("checkCrcs");
        final int[] partitions = settings.numbers("partitions");
        expect("number of partitions", partitions.length == 1 && partitions[0] == 0, partitions.length);
        try (TopicClient client = new TopicClient(
            settings.text(settings.has(Cluster.PLAIN_BOOTSTRAP) ? Cluster.PLAIN_BOOTSTRAP : "bootstrap")))
        {
            final String topic = settings.text("topic");
            final Node leader = client.partition(topic, 0).leader();
            final TopicPartition partition = new TopicPartition(topic, 0);
            nextOffset = client.admin().listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition)
                .toCompletionStage().toCompletableFuture().join().offset();
            endOffset = sink.isLive() ? Long.MAX_VALUE : nextOffset;
            // With TLS the leader's port is another one; there is one broker.
            final int port = !settings.has(Cluster.PLAIN_BOOTSTRAP) ? leader.port() :
                Integer.parseInt(settings.text("bootstrap").replaceFirst(".*:", ""));
            fetch = new BareFetch(new InetSocketAddress(leader.host(), port), settings);
            if (sink.isLive())
            {
                fetch.send(nextOffset);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void rewind()
    {
        nextOffset = 0;
        try
        {
            fetch.send(nextOffset);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
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
                if (nextOffset < endOffset)
                {
                    fetch.send(nextOffset);
                }
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
        expect("response without a whole batch", sink.isLive() || index > batchesIndex, limit - batchesIndex);
        return index;
    }

    private void readBatches(
        final ByteBuffer frame, final int batchesIndex, final int batchesLimit, final long firstOffset)
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
                crc32c.reset();
                crc32c.update(frame);
                final int crc = frame.getInt(index + CRC_INDEX);
                expect("CRC", (int)crc32c.getValue() == crc, crc);
            }
            final short attributes = frame.getShort(index + ATTRIBUTES_INDEX);
            expect("attributes", (attributes & CODEC_OR_CONTROL) == 0, attributes);
            // A first batch may begin before the offset that was asked for.
            final int skipped = (int)Math.max(0, firstOffset - frame.getLong(index));
            readRecords(frameAddress + index + RECORDS_INDEX, frameAddress + limit,
                frame.getInt(index + RECORD_COUNT_INDEX), skipped, frame.getLong(index), sink);
            index = limit;
        }
    }

    /**
     * The records of one uncompressed batch, parsed in place by plain addresses.
     * <pre>length | attributes | timestamp delta | offset delta | key length | key | value length | value |
     * headers</pre>
     */
    static void readRecords(
        final long firstAddress,
        final long limit,
        final int count,
        final int skipped,
        final long baseOffset,
        final Sink sink)
    {
        final boolean isLive = sink.isLive();
        long sum = 0;
        long bytes = 0;
        long address = firstAddress;
        for (int i = 0; i < count; i++)
        {
            final long length = varint(address);
            address += length & VARINT_LENGTH_MASK;
            final long next = address + (length >> VARINT_LENGTH_BITS);
            address = skipVarint(address + 1);
            final long offsetDelta = varint(address);
            address += offsetDelta & VARINT_LENGTH_MASK;
            final long keyLength = varint(address);
            address += (keyLength & VARINT_LENGTH_MASK) + Math.max(0, keyLength >> VARINT_LENGTH_BITS);
            final long valueLengthField = varint(address);
            address += valueLengthField & VARINT_LENGTH_MASK;
            final long valueLength = valueLengthField >> VARINT_LENGTH_BITS;
            if (offsetDelta >> VARINT_LENGTH_BITS != i || valueLength < SMALLEST_VALUE ||
                address + valueLength > next || next > limit)
            {
                expect("record", false, i);
            }
            final long first = UnsafeApi.getLong(address + FIRST);
            final long others = UnsafeApi.getLong(address + SECOND) + UnsafeApi.getLong(address + THIRD);
            if (!isLive)
            {
                sum += first + others;
                bytes += valueLength;
            }
            else if (i >= skipped)
            {
                sink.onValue(0, baseOffset + i, (int)valueLength, first, others);
            }
            address = next;
        }
        expect("end of batch", address == limit, limit - address);
        if (!isLive)
        {
            sink.onValues(count, bytes, sum);
        }
    }

    /**
     * The value, and below it the varint's own length in bytes: a method returns one thing, a field would be a store.
     */
    private static long varint(final long address)
    {
        final int first = UnsafeApi.getByte(address);
        if (first >= 0)
        {
            return pack(first, 1);
        }
        final int second = UnsafeApi.getByte(address + 1);
        return second >= 0 ? pack(first & 0x7F | second << 7, 2) : longVarint(address);
    }

    private static long longVarint(final long address)
    {
        int value = 0;
        for (int i = 0; i < 5; i++)
        {
            final int next = UnsafeApi.getByte(address + i);
            value |= (next & 0x7F) << 7 * i;
            if (next >= 0)
            {
                return pack(value, i + 1);
            }
        }
        throw new IllegalStateException("bare loop: a varint of more than five bytes");
    }

    private static long pack(final int zigzag, final int length)
    {
        return (long)(zigzag >>> 1 ^ -(zigzag & 1)) << VARINT_LENGTH_BITS | length;
    }

    private static long skipVarint(final long address)
    {
        long next = address;
        while (UnsafeApi.getByte(next) < 0)
        {
            next++;
        }
        return next + 1;
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
