// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.agrona.DirectBuffer;
import org.odradek.client.core.Backoff;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;

/**
 * Encodes a request of a {@link ControlConnection}, and reads the response. The object is reused, and is in flight at
 * most once at a time.
 */
public abstract class ControlRequest
{
    public ApiKey apiKey;
    /** The throttle time of the last response in milliseconds. */
    protected int throttleTimeMs;
    /** The error code of the last response, for the owner of the connection. */
    protected short errorCode;
    /** A partition that the last response does not contain, or -1 if there is none. */
    protected int leftOutPartition = -1;
    private short reportedError;
    private final Backoff backoff;

    public ControlRequest(final ApiKey apiKey, final Backoff backoff)
    {
        this.apiKey = apiKey;
        this.backoff = backoff;
    }

    public ApiKey apiKey()
    {
        return apiKey;
    }

    public final Backoff backoff()
    {
        return backoff;
    }

    /** Returns the version to use: the highest version that both sides support, or a lower version. */
    public int version(final int highestVersion)
    {
        return highestVersion;
    }

    /**
     * Writes the request into a frame. The connection adds the correlation id.
     *
     * @return the length of the frame in bytes.
     */
    public abstract int encode(RequestFrame frame, int version);

    /**
     * Reads the response, and keeps its result for the owner of the connection.
     *
     * @param index index of the first byte after the correlation id.
     * @param limit index after the last byte.
     * @return false if the request must be retried after a backoff.
     * @throws WireFormatException if the response is malformed.
     */
    public abstract boolean onResponse(DirectBuffer buffer, int index, int limit, int version);

    /**
     * Applies the result of the last response to other parts of the client.
     *
     * @return true if the owner must handle {@link #errorCode()}, even if it is no error, and {@link
     *         #leftOutPartition()}.
     */
    public boolean complete()
    {
        return true;
    }

    public final short errorCode()
    {
        return errorCode;
    }

    public final int leftOutPartition()
    {
        return leftOutPartition;
    }

    /** Stores the error code of a result, and returns true if the previous result had another code. */
    public final boolean takeError(final short code)
    {
        final boolean isNew = code != reportedError;
        reportedError = code;
        return isNew;
    }

    /**
     * Returns true if the first part of a response is enough when the response does not fit into the receive buffer. In
     * this case the buffer does not grow, and the connection is opened again after the response.
     */
    public boolean isFirstPartEnough()
    {
        return false;
    }

    /**
     * Returns how long the broker may hold the response to the last encoded request, in nanoseconds. The request
     * timeout is extended by this time.
     */
    public long heldNs()
    {
        return 0;
    }

    /** Takes note that there will be no response. */
    public void onLost()
    {
    }

    /** Returns true if the same request may succeed later. */
    public static boolean isRetriable(final short errorCode)
    {
        return ErrorCode.isRetriable(errorCode) || errorCode == ErrorCode.UNKNOWN_SERVER_ERROR;
    }
}
