// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;
import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.net.RequestFrame;
import org.odradek.client.support.UnlimitedMemory;

import java.nio.ByteBuffer;
import java.util.function.BiFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Encodes requests for Kafka's own messages to read, and answers them with such messages, without a connection. */
final class RequestExchange
{
    private final ApiMessageType type;
    private final short version;
    private final RequestFrame frame = new RequestFrame(UnlimitedMemory.budget(1 << 20), 64);

    RequestExchange(final ApiMessageType type, final int version)
    {
        this.type = type;
        this.version = (short)version;
    }

    /**
     * Encodes a request.
     *
     * @param constructor of Kafka's message, which must read all of it.
     */
    <T> T send(final ControlRequest request, final BiFunction<Readable, Short, T> constructor)
    {
        final int length = request.encode(frame, version);
        final ByteBuffer bytes = ByteBuffer.allocate(length - Integer.BYTES);
        frame.buffer().getBytes(Integer.BYTES, bytes, bytes.capacity());
        final ByteBufferAccessor reader = new ByteBufferAccessor(bytes.flip());
        new RequestHeaderData(reader, type.requestHeaderVersion(version));
        final T data = constructor.apply(reader, version);
        assertEquals(0, reader.remaining());
        return data;
    }

    boolean answer(final ControlRequest request, final ApiMessage data)
    {
        return answer(request, bytes(data));
    }

    boolean answer(final ControlRequest request, final byte[] bytes)
    {
        return request.onResponse(new UnsafeBuffer(bytes), 0, bytes.length, version);
    }

    /** What follows the correlation id of an answer. */
    byte[] bytes(final ApiMessage data)
    {
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        // The header has an empty list of tags from its version 1 on.
        final int tags = type.responseHeaderVersion(version);
        final ByteBuffer bytes = ByteBuffer.allocate(tags + data.size(cache, version)).position(tags);
        data.write(new ByteBufferAccessor(bytes), cache, version);
        return bytes.array();
    }
}
