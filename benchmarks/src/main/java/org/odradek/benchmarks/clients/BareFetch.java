// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.odradek.benchmarks.rig.Settings;

/**
 * Fetch version 11 of partition 0 on one socket: a request frame written once and patched, a response frame in one
 * direct buffer. Whatever is not as expected ends the run.
 */
final class BareFetch
{
    private static final short FETCH = 1;
    private static final short VERSION = 11;
    private static final int CORRELATION_ID_INDEX = 8;
    private static final int ROOM_AROUND_RECORDS = 64 * 1024;

    private static final Consumer<SelectionKey> SELECTED = key -> {};

    private final ByteBuffer request = ByteBuffer.allocateDirect(512);
    private final ByteBuffer frame;
    private final int topicLength;
    private final int fetchOffsetIndex;
    private final ByteChannel channel;
    private final Selector selector;
    private final int pollTimeoutMs;
    private int correlationId;
    private boolean isTaken;

    /**
     * @param leader   of partition 0.
     * @param settings a poll with a timeout waits in the read for as long as it takes, or with {@code select} until
     *                 the timeout.
     * @throws IOException if there is no connection.
     */
    BareFetch(final InetSocketAddress leader, final Settings settings) throws IOException
    {
        final byte[] topicBytes = settings.text("topic").getBytes(StandardCharsets.UTF_8);
        topicLength = topicBytes.length;
        fetchOffsetIndex = writeRequest(topicBytes, settings);
        frame = ByteBuffer.allocateDirect(settings.number("fetchMaxBytes") + ROOM_AROUND_RECORDS);
        final SocketChannel socket = SocketChannel.open(leader);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel = !settings.has("config") ? socket :
            new BareTls(socket, leader.getHostString(), leader.getPort(), settings.connection());
        pollTimeoutMs = settings.number("pollTimeoutMs");
        selector = settings.is("select") ? Selector.open() : null;
        socket.configureBlocking(selector == null && pollTimeoutMs > 0);
        if (selector != null)
        {
            socket.register(selector, SelectionKey.OP_READ);
        }
    }

    /**
     * @param fetchOffset of the first record wanted.
     * @throws IOException if the connection is gone.
     */
    void send(final long fetchOffset) throws IOException
    {
        request.putInt(CORRELATION_ID_INDEX, ++correlationId);
        request.putLong(fetchOffsetIndex, fetchOffset);
        request.rewind();
        while (request.hasRemaining())
        {
            channel.write(request);
        }
    }

    /**
     * Reads once.
     *
     * @return the whole response, with the position at the first batch and the limit behind the last byte; null while
     *     it is not whole.
     * @throws IOException if the connection is gone.
     */
    ByteBuffer poll() throws IOException
    {
        if (isTaken)
        {
            frame.clear();
            isTaken = false;
        }
        if (selector != null)
        {
            selector.select(SELECTED, pollTimeoutMs);
        }
        if (channel.read(frame) < 0)
        {
            throw new EOFException("the broker closed the connection");
        }
        if (frame.position() < Integer.BYTES)
        {
            return null;
        }
        expect("frame length", frame.getInt(0) <= frame.capacity() - Integer.BYTES, frame.getInt(0));
        if (frame.position() < Integer.BYTES + frame.getInt(0))
        {
            return null;
        }
        isTaken = true;
        frame.flip();
        expect("frame length", frame.getInt() == frame.remaining(), frame.getInt(0));
        expect("correlation id", frame.getInt() == correlationId, correlationId);
        skipToRecords();
        return frame;
    }

    void close()
    {
        try
        {
            channel.close();
            if (selector != null)
            {
                selector.close();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * @param what         should be as expected.
     * @param isAsExpected whether it is.
     * @param found        what is there instead.
     */
    static void expect(final String what, final boolean isAsExpected, final long found)
    {
        if (!isAsExpected)
        {
            throw new IllegalStateException("bare loop: unexpected " + what + ": " + found);
        }
    }

    private void skipToRecords()
    {
        frame.getInt(); // throttleTimeMs
        final short error = frame.getShort();
        expect("error", error == 0, error);
        frame.getInt(); // sessionId
        final int topics = frame.getInt();
        expect("topic count", topics == 1, topics);
        final short nameLength = frame.getShort();
        expect("topic length", nameLength == topicLength, nameLength);
        frame.position(frame.position() + nameLength);
        final int partitions = frame.getInt();
        expect("partition count", partitions == 1, partitions);
        final int partition = frame.getInt();
        expect("partition", partition == 0, partition);
        final short partitionError = frame.getShort();
        expect("partition error", partitionError == 0, partitionError);
        frame.position(frame.position() + 3 * Long.BYTES); // highWatermark, lastStableOffset, logStartOffset
        final int aborted = frame.getInt();
        expect("aborted transactions", aborted <= 0, aborted);
        frame.getInt(); // preferredReadReplica
        final int recordsLength = frame.getInt();
        expect("records length", Math.max(0, recordsLength) == frame.remaining(), recordsLength);
    }

    private int writeRequest(final byte[] topic, final Settings settings)
    {
        final byte[] clientId = "bare-loop".getBytes(StandardCharsets.UTF_8);
        request.putInt(0).putShort(FETCH).putShort(VERSION).putInt(0);
        request.putShort((short)clientId.length).put(clientId);
        request.putInt(-1); // replicaId
        request.putInt(settings.number("fetchMaxWaitMs")).putInt(settings.number("fetchMinBytes"));
        request.putInt(settings.number("fetchMaxBytes"));
        request.put((byte)0); // isolationLevel
        request.putInt(0).putInt(-1); // sessionId, sessionEpoch: no session
        request.putInt(1).putShort((short)topic.length).put(topic);
        request.putInt(1).putInt(0); // partition 0
        request.putInt(-1); // currentLeaderEpoch
        final int offsetIndex = request.position();
        request.putLong(0);
        request.putLong(-1); // logStartOffset
        request.putInt(settings.number("fetchMaxBytes"));
        request.putInt(0); // forgottenTopicsData
        request.putShort((short)0); // rackId
        request.flip();
        request.putInt(0, request.limit() - Integer.BYTES);
        return offsetIndex;
    }
}
