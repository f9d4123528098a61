/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * Fetch version 11 on one blocking socket: a request frame written once and patched, a response frame in one direct
 * buffer. Whatever is not as expected ends the run.
 */
final class BareFetch implements AutoCloseable
{
    private static final short FETCH = 1;
    private static final short VERSION = 11;
    private static final int CORRELATION_ID_INDEX = 8;
    private static final int ROOM_AROUND_RECORDS = 64 * 1024;

    private final ByteBuffer request = ByteBuffer.allocateDirect(256);
    private final ByteBuffer frame = ByteBuffer.allocateDirect(ArmSettings.FETCH_MAX_BYTES + ROOM_AROUND_RECORDS);
    private final int topicLength;
    private final int fetchOffsetIndex;
    private final SocketChannel channel;
    private int correlationId;

    BareFetch(final SocketAddress leader, final String topic) throws IOException
    {
        final byte[] topicBytes = topic.getBytes(StandardCharsets.UTF_8);
        topicLength = topicBytes.length;
        fetchOffsetIndex = writeRequest(topicBytes);
        channel = SocketChannel.open(leader);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

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
     * Reads one whole response and returns it with the position at the first batch and the limit behind the last byte.
     */
    ByteBuffer receive() throws IOException
    {
        frame.clear();
        while (frame.position() < Integer.BYTES || frame.position() < Integer.BYTES + frame.getInt(0))
        {
            if (channel.read(frame) < 0)
            {
                throw new EOFException("the broker closed the connection");
            }
            expect("frame length", frame.getInt(0) <= frame.capacity() - Integer.BYTES, frame.getInt(0));
        }
        frame.flip();
        expect("frame length", frame.getInt() == frame.remaining(), frame.getInt(0));
        expect("correlation id", frame.getInt() == correlationId, correlationId);
        skipToRecords();
        return frame;
    }

    @Override
    public void close()
    {
        try
        {
            channel.close();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

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
        expect("records length", recordsLength == frame.remaining(), recordsLength);
    }

    private int writeRequest(final byte[] topic)
    {
        final byte[] clientId = "bare-loop".getBytes(StandardCharsets.UTF_8);
        request.putInt(0).putShort(FETCH).putShort(VERSION).putInt(0);
        request.putShort((short)clientId.length).put(clientId);
        request.putInt(-1); // replicaId
        request.putInt(ArmSettings.FETCH_MAX_WAIT_MS).putInt(ArmSettings.FETCH_MIN_BYTES);
        request.putInt(ArmSettings.FETCH_MAX_BYTES);
        request.put((byte)0); // isolationLevel
        request.putInt(0).putInt(-1); // sessionId, sessionEpoch: no session
        request.putInt(1).putShort((short)topic.length).put(topic);
        request.putInt(1).putInt(0); // partition 0
        request.putInt(-1); // currentLeaderEpoch
        final int offsetIndex = request.position();
        request.putLong(0);
        request.putLong(-1); // logStartOffset
        request.putInt(ArmSettings.PARTITION_MAX_BYTES);
        request.putInt(0); // forgottenTopicsData
        request.putShort((short)0); // rackId
        request.flip();
        request.putInt(0, request.limit() - Integer.BYTES);
        return offsetIndex;
    }
}
