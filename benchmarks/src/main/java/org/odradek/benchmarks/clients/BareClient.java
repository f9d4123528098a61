// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.agrona.CloseHelper;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.fetch.FetchRequestEncoder;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;
import org.odradek.testkit.TopicClient;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The floor that broker and producer set: one thread and one socket, which fetches partition 0, walks the batch
 * headers, sends the next fetch, then checks and parses in place what has arrived. It has no cluster, no recovery and
 * no callback, and whatever is not as expected ends the run: the distance from here to a consumer is what the
 * consumer's design costs. When it spins it reads a socket that does not block, else it waits in the read for as long
 * as it takes, or with {@code select} until the poll timeout. Its requests, batches and records are views of the
 * protocol module.
 */
public final class BareClient implements Client
{
    private static final int FETCH_VERSION = 11;
    private static final int BODY_INDEX = 2 * Integer.BYTES;
    private static final int ROOM_AROUND_RECORDS = 64 * 1024;
    private static final Consumer<SelectionKey> SELECTED = (key) -> {};

    private final Sink sink;
    private final boolean isCheckingCrcs;
    private final int maxBytes;
    private final int pollTimeoutMs;
    private final FetchRequestEncoder encoder;
    private final ByteBuffer request;
    private final UnsafeBuffer requestView;
    private final RecordMemory memory;
    private final FetchResponseFlyweight response = new FetchResponseFlyweight();
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordFlyweight records = new RecordFlyweight();
    private final SocketChannel socket;
    private final BareTls tls;
    private final Selector selector;
    private int correlationId;
    private long nextOffset;
    private long fetches;

    public BareClient(final Settings given, final Sink sink) throws IOException
    {
        final Settings settings = Arms.held(given);
        final String topic = settings.text("topic");
        final int[] partitions = settings.numbers("partitions");
        expect("number of partitions", partitions.length == 1 && partitions[0] == 0, partitions.length);
        this.sink = sink;
        isCheckingCrcs = settings.is("checkCrcs");
        maxBytes = settings.number("fetchMaxBytes");
        pollTimeoutMs = settings.number("pollTimeoutMs");
        memory = new RecordMemory(maxBytes + ROOM_AROUND_RECORDS);
        encoder = new FetchRequestEncoder("bare-loop", topic, null);
        request = ByteBuffer.allocateDirect(encoder.maxFrameLength(1, 0));
        requestView = new UnsafeBuffer(request);
        request.limit(encoder.build(requestView, FETCH_VERSION, 1, 0));
        encoder.limits(settings.number("fetchMaxWaitMs"), settings.number("fetchMinBytes"), maxBytes);
        final boolean isSecured = settings.has(Cluster.PLAIN_BOOTSTRAP);
        final Node leader;
        try (TopicClient client = new TopicClient(settings.text(isSecured ? Cluster.PLAIN_BOOTSTRAP : "bootstrap")))
        {
            leader = client.partition(topic, 0).leader();
            final TopicPartition partition = new TopicPartition(topic, 0);
            nextOffset = client.admin().listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition)
                .toCompletionStage().toCompletableFuture().join().offset();
        }
        // With TLS the leader's port is another one; there is one broker.
        final int port =
            isSecured ? Integer.parseInt(settings.text("bootstrap").replaceFirst(".*:", "")) : leader.port();
        socket = SocketChannel.open(new InetSocketAddress(leader.host(), port));
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        tls = isSecured ? new BareTls(socket, leader.host(), port, settings.connection()) : null;
        selector = settings.is("select") ? Selector.open() : null;
        socket.configureBlocking(selector == null && pollTimeoutMs > 0);
        if (selector != null)
        {
            socket.register(selector, SelectionKey.OP_READ);
        }
        if (sink.isLive())
        {
            send();
        }
    }

    @Override
    public void rewind() throws IOException
    {
        nextOffset = 0;
        send();
    }

    private void send() throws IOException
    {
        RequestHeaderEncoder.correlationId(requestView, ++correlationId);
        encoder.entry(0, 0, FetchResponseFlyweight.NULL_EPOCH, nextOffset, maxBytes);
        request.rewind();
        while (request.hasRemaining())
        {
            if (tls == null)
            {
                socket.write(request);
            }
            else
            {
                tls.write(request);
            }
        }
    }

    @Override
    public void poll() throws IOException
    {
        if (receive())
        {
            fetches++;
            final long firstOffset = nextOffset;
            final int batchesLimit = walkHeaders();
            if (sink.isLive() || nextOffset < response.highWatermark())
            {
                send();
            }
            readBatches(batchesLimit, firstOffset);
            memory.byteBuffer().clear();
        }
    }

    /** Reads once, and returns whether the response is whole. */
    private boolean receive() throws IOException
    {
        final ByteBuffer frame = memory.byteBuffer();
        if (selector != null)
        {
            selector.select(SELECTED, pollTimeoutMs);
        }
        if ((tls == null ? socket.read(frame) : tls.read(frame)) < 0)
        {
            throw new EOFException("the broker closed the connection");
        }
        if (frame.position() < Integer.BYTES)
        {
            return false;
        }
        final int length = frame.getInt(0);
        expect("frame length", length <= frame.capacity() - Integer.BYTES, length);
        if (frame.position() < Integer.BYTES + length)
        {
            return false;
        }
        expect("bytes after the frame", frame.position() == Integer.BYTES + length, frame.position());
        expect("correlation id", frame.getInt(Integer.BYTES) == correlationId, frame.getInt(Integer.BYTES));
        response.wrap(memory.buffer(), BODY_INDEX, frame.position(), FETCH_VERSION);
        expect("error", response.errorCode() == 0, response.errorCode());
        expect("partition", response.nextPartition() && response.partition() == 0, response.partition());
        expect("partition error", response.partitionErrorCode() == 0, response.partitionErrorCode());
        expect("aborted transactions", response.abortedTransactionCount() == 0, response.abortedTransactionCount());
        expect("records length",
            response.recordsIndex() + response.recordsLength() == frame.position(), response.recordsLength());
        return true;
    }

    /** Returns the index after the last whole batch. */
    private int walkHeaders()
    {
        final int limit = response.recordsIndex() + response.recordsLength();
        int index = response.recordsIndex();
        int found = batch.wrap(memory, index, limit);
        while (found == RecordBatchFlyweight.COMPLETE)
        {
            nextOffset = batch.lastOffset() + 1;
            index = batch.limit();
            found = batch.wrap(memory, index, limit);
        }
        expect("batch", found == RecordBatchFlyweight.CUT_OFF, found);
        expect("response without a whole batch", sink.isLive() || index > response.recordsIndex(), limit - index);
        return index;
    }

    private void readBatches(final int batchesLimit, final long firstOffset)
    {
        int index = response.recordsIndex();
        while (index < batchesLimit)
        {
            batch.wrap(memory, index, batchesLimit);
            expect("CRC", !isCheckingCrcs || batch.computeCrc() == batch.crc(), batch.crc());
            expect("attributes", batch.compressionType() == 0 && !batch.isControl(), batch.attributes());
            readRecords(batch, records, firstOffset, sink);
            index = batch.limit();
        }
    }

    /** Reads the records of an uncompressed batch in place; it may begin before the offset that was asked for. */
    static void readRecords(
        final RecordBatchFlyweight batch, final RecordFlyweight records, final long firstOffset, final Sink sink)
    {
        final boolean isLive = sink.isLive();
        final long address = batch.memory().buffer().addressOffset();
        long sum = 0;
        long bytes = 0;
        records.wrap(batch, batch.memory(), batch.recordsIndex(), batch.limit(), 0);
        while (records.next())
        {
            final int length = records.valueLength();
            expect("value length", length >= ThreeLongs.SMALLEST_VALUE, length);
            final long value = address + records.valueIndex();
            final long first = UnsafeApi.getLong(value + ThreeLongs.FIRST);
            final long others =
                UnsafeApi.getLong(value + ThreeLongs.SECOND) + UnsafeApi.getLong(value + ThreeLongs.THIRD);
            if (!isLive)
            {
                sum += first + others;
                bytes += length;
            }
            else if (records.offset() >= firstOffset)
            {
                sink.onValue(0, records.offset(), length, first, others);
            }
        }
        if (records.flaw() != null)
        {
            throw new IllegalStateException("bare loop: " + records.flaw());
        }
        if (!isLive)
        {
            sink.onValues(batch.recordCount(), bytes, sum);
        }
    }

    @Override
    public long fetches()
    {
        return fetches;
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(socket, selector);
    }

    private static void expect(final String what, final boolean isAsExpected, final long found)
    {
        if (!isAsExpected)
        {
            throw new IllegalStateException("bare loop: unexpected " + what + ": " + found);
        }
    }
}
