// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

import java.nio.ByteBuffer;

/** A client of a model connection that encodes and decodes with the message classes of kafka-clients. */
public final class ModelClient
{
    final ModelConnection connection;
    private ApiMessageType type;
    private short version;
    private int correlationId;

    public ModelClient(final ModelBroker broker)
    {
        connection = broker.connect();
    }

    /** Sends a request of the highest version. */
    public ModelClient send(final ApiMessageType newType, final ApiMessage request)
    {
        return send(newType, newType.highestSupportedVersion(true), request);
    }

    public ModelClient send(final ApiMessageType newType, final int newVersion, final ApiMessage request)
    {
        type = newType;
        version = (short)newVersion;
        connection.request(frame(request));
        return this;
    }

    private ByteBuffer frame(final ApiMessage request)
    {
        final short headerVersion = type.requestHeaderVersion(version);
        final RequestHeaderData header = new RequestHeaderData().setRequestApiKey(type.apiKey())
            .setRequestApiVersion(version).setCorrelationId(++correlationId).setClientId("test");
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final ByteBuffer frame = ByteBuffer.allocate(header.size(cache, headerVersion) + request.size(cache, version));
        header.write(new ByteBufferAccessor(frame), cache, headerVersion);
        request.write(new ByteBufferAccessor(frame), cache, version);
        return frame.flip();
    }

    /** Returns the response to the last request, or null while there is none. */
    public ApiMessage poll()
    {
        final ByteBuffer frame = connection.response();
        if (frame == null)
        {
            return null;
        }
        expect("length", frame.remaining() - Integer.BYTES, frame.getInt());
        final ByteBufferAccessor reader = new ByteBufferAccessor(frame);
        expect("correlation id", correlationId,
            new ResponseHeaderData(reader, type.responseHeaderVersion(version)).correlationId());
        final ApiMessage response = type.newResponse();
        response.read(reader, version);
        expect("number of bytes left", 0, frame.remaining());
        return response;
    }

    private void expect(final String what, final int expected, final int actual)
    {
        if (expected != actual)
        {
            throw new IllegalStateException("The " + what + " of a response to " + type + " is " + actual +
                " where " + expected + " was expected.");
        }
    }
}
