// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.RawTaggedField;

import java.nio.ByteBuffer;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Whole frames that the message classes of kafka-clients write and read; the tests compare with them. */
public final class KafkaFrames
{
    public static final int CORRELATION_ID = 0x0DDBA11;

    private KafkaFrames()
    {
    }

    /** Returns a response frame with size and header. */
    public static byte[] response(
        final ApiKey apiKey, final int version, final ApiMessage body, final List<RawTaggedField> headerTags)
    {
        final short headerVersion = ApiMessageType.fromApiKey(apiKey.key()).responseHeaderVersion((short) version);
        final ResponseHeaderData header = new ResponseHeaderData().setCorrelationId(CORRELATION_ID);
        if (headerVersion >= 1)
        {
            header.unknownTaggedFields().addAll(headerTags);
        }
        final byte[] head = bytes(header, headerVersion);
        final byte[] tail = bytes(body, (short) version);
        return ByteBuffer.allocate(Integer.BYTES + head.length + tail.length)
            .putInt(head.length + tail.length).put(head).put(tail).array();
    }

    /** Returns the bytes in the middle of a larger buffer, with the filler before and after them. */
    public static UnsafeBuffer within(final byte[] bytes, final int before, final int after, final int filler)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(before + bytes.length + after));
        buffer.setMemory(0, buffer.capacity(), (byte) filler);
        buffer.putBytes(before, bytes);
        return buffer;
    }

    /** Reads one of our request frames, checks its header, and checks that no byte is left. */
    public static ApiMessage request(
        final ApiKey apiKey, final int version, final MutableDirectBuffer frame, final int frameLength,
        final String clientId)
    {
        RequestHeaderEncoder.correlationId(frame, CORRELATION_ID);
        final ApiMessageType type = ApiMessageType.fromApiKey(apiKey.key());
        final byte[] bytes = new byte[frameLength];
        frame.getBytes(0, bytes);
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        assertEquals(frameLength - Integer.BYTES, buffer.getInt());

        final ByteBufferAccessor accessor = new ByteBufferAccessor(buffer);
        final RequestHeaderData header =
            new RequestHeaderData(accessor, type.requestHeaderVersion((short) version));
        assertEquals(apiKey.key(), header.requestApiKey());
        assertEquals(version, header.requestApiVersion());
        assertEquals(CORRELATION_ID, header.correlationId());
        assertEquals(clientId, header.clientId());

        final ApiMessage body = type.newRequest();
        body.read(accessor, (short) version);
        assertEquals(0, accessor.remaining());
        return body;
    }

    private static byte[] bytes(final Message message, final short version)
    {
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final ByteBuffer buffer = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(buffer), cache, version);
        assertEquals(0, buffer.remaining());
        return buffer.array();
    }
}
