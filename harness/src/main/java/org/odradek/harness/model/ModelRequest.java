// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

import java.nio.ByteBuffer;

/** A request that a broker serves, and what {@link BrokerHooks} have planned for its response. */
public final class ModelRequest
{
    private static final long NS_PER_MS = 1_000_000;

    private final ModelConnection connection;
    private final ApiMessageType type;
    private final short version;
    private final int correlationId;
    private final String clientId;
    private final ApiMessage message;
    private final long arrivalNs;
    private ApiMessage scripted;
    private byte[] scriptedBody;
    private boolean isDropped;
    private boolean isLast;
    private long delayNs;
    private int throttleMs;
    /** What the API remembers while the request is parked. */
    Object parked;
    long deadlineNs = Long.MAX_VALUE;

    /**
     * Decodes a request.
     *
     * @throws RuntimeException if the frame is not a request of an API and version that the message classes know.
     */
    ModelRequest(final ModelConnection connection, final ByteBuffer frame, final long arrivalNs)
    {
        final ByteBufferAccessor reader = new ByteBufferAccessor(frame);
        this.connection = connection;
        this.arrivalNs = arrivalNs;
        type = ApiMessageType.fromApiKey(frame.getShort(frame.position()));
        version = frame.getShort(frame.position() + Short.BYTES);
        final RequestHeaderData header = new RequestHeaderData(reader, type.requestHeaderVersion(version));
        correlationId = header.correlationId();
        clientId = header.clientId();
        message = isReadable() ? type.newRequest() : null;
        if (message != null)
        {
            message.read(reader, version);
        }
    }

    /** An ApiVersions request of a version that no class can read still gets a response. */
    private boolean isReadable()
    {
        return type != ApiMessageType.API_VERSIONS || version >= 0 && version <= type.highestSupportedVersion(true);
    }

    public ModelConnection connection()
    {
        return connection;
    }

    public ModelBroker broker()
    {
        return connection.broker();
    }

    public ApiMessageType type()
    {
        return type;
    }

    public short version()
    {
        return version;
    }

    public int correlationId()
    {
        return correlationId;
    }

    public String clientId()
    {
        return clientId;
    }

    /** Returns the decoded request, or null for an ApiVersions request of an unknown version. */
    public ApiMessage message()
    {
        return message;
    }

    /** Returns when the broker began to serve the request, on the cluster's clock. */
    public long arrivalNs()
    {
        return arrivalNs;
    }

    /** Answers with this response; the broker does not serve the request. */
    public void respond(final ApiMessage response)
    {
        scripted = response;
    }

    /** Answers with these bytes after the response header; the broker does not serve the request. */
    public void respond(final byte[] body)
    {
        scriptedBody = body;
    }

    /** Serves the request, but never sends the response. The connection serves later requests. */
    public void dropResponse()
    {
        isDropped = true;
    }

    /** Sends the response this much later than usual; later requests of the connection wait, too. */
    public void delayResponse(final long newDelayNs)
    {
        delayNs = newDelayNs;
    }

    /** Closes the connection after the response. */
    void closeAfterResponse()
    {
        isLast = true;
    }

    boolean isLast()
    {
        return isLast;
    }

    /**
     * Throttles the connection as a quota does: a fetch response is empty, the response holds the time, and the broker
     * serves no other request of the connection until it has passed. Brokers before 2.0 send the response after it.
     */
    public void throttle(final int newThrottleMs)
    {
        throttleMs = newThrottleMs;
    }

    public int throttleMs()
    {
        return throttleMs;
    }

    ApiMessage scripted()
    {
        return scripted;
    }

    byte[] scriptedBody()
    {
        return scriptedBody;
    }

    boolean isDropped()
    {
        return isDropped;
    }

    long delayNs()
    {
        return delayNs;
    }

    /** Parks the request until the broker changes or a time has passed. */
    void park(final Object state, final int waitMs)
    {
        parked = state;
        deadlineNs = arrivalNs + waitMs * NS_PER_MS;
    }

    /** Returns the response as a frame with its length field. */
    ByteBuffer encode(final ApiMessage response)
    {
        final int tagsLength = type.responseHeaderVersion(version);
        final short written = responseVersion(response);
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final int length = scriptedBody == null ? response.size(cache, written) : scriptedBody.length;
        final ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + Integer.BYTES + tagsLength + length);
        frame.putInt(frame.capacity() - Integer.BYTES).putInt(correlationId).position(frame.position() + tagsLength);
        if (scriptedBody == null)
        {
            response.write(new ByteBufferAccessor(frame), cache, written);
        }
        else
        {
            frame.put(scriptedBody);
        }
        return frame.flip();
    }

    /** The response to an ApiVersions request of an unsupported version has version 0. */
    private short responseVersion(final ApiMessage response)
    {
        return response != null && connection.broker().isVersionRefused(this) ? 0 : version;
    }

    @Override
    public String toString()
    {
        return type + " v" + version + ", correlation id " + correlationId + ", of " + clientId;
    }
}
