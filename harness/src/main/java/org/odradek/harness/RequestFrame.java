// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

import java.nio.ByteBuffer;

/**
 * A request that a {@link ScriptedPeer} has received.
 *
 * @param connection    number of its connection, counted from 0.
 * @param apiKey        from its header.
 * @param apiVersion    from its header.
 * @param correlationId from its header.
 * @param payload       all bytes after the size, including the header.
 */
public record RequestFrame(int connection, short apiKey, short apiVersion, int correlationId, byte[] payload)
{
    public ApiMessageType type()
    {
        return ApiMessageType.fromApiKey(apiKey);
    }

    /** Returns the content, read with Kafka's classes. */
    public ApiMessage message()
    {
        final ByteBufferAccessor reader = new ByteBufferAccessor(ByteBuffer.wrap(payload));
        new RequestHeaderData(reader, type().requestHeaderVersion(apiVersion));
        final ApiMessage message = type().newRequest();
        message.read(reader, apiVersion);
        return message;
    }

    /** Returns the content of a response to ApiVersions with the newest versions of some APIs. */
    public static ApiVersionsResponseData versions(final ApiMessageType... types)
    {
        final ApiVersionsResponseData response = new ApiVersionsResponseData();
        for (final ApiMessageType type : types)
        {
            response.apiKeys().add(new ApiVersion().setApiKey(type.apiKey()).setMinVersion((short)0)
                .setMaxVersion(type.highestSupportedVersion(true)));
        }
        return response;
    }

    /** Returns a response to this request. */
    public Answer answer(final ApiMessage response)
    {
        return Answer.reply(body(response));
    }

    /** Returns the bytes of a response that follow the correlation id. */
    public byte[] body(final ApiMessage response)
    {
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        // The header has an empty list of tags from its version 1 on.
        final int tagsLength = type().responseHeaderVersion(apiVersion);
        final ByteBuffer buffer = ByteBuffer.allocate(tagsLength + response.size(cache, apiVersion));
        response.write(new ByteBufferAccessor(buffer.position(tagsLength)), cache, apiVersion);
        return buffer.array();
    }

    @Override
    public String toString()
    {
        return "request of api " + apiKey + " v" + apiVersion + ", correlation id " + correlationId + ", " +
            payload.length + " bytes, connection " + connection;
    }
}
