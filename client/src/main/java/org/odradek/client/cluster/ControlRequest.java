// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.agrona.DirectBuffer;
import org.odradek.client.core.Backoff;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

/**
 * Encodes a request of a {@link ControlConnection}, and reads the response. The object is reused, and is in flight at
 * most once at a time.
 */
public abstract class ControlRequest
{
    public ApiKey apiKey;
    protected int throttleTimeMs;
    protected short errorCode;
    /** Names a partition that the last response does not contain; -1 if there is none. */
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

    /**
     * Returns the version to use, at most {@code highestVersion}, which is the highest version that both sides support.
     */
    public int version(final int highestVersion)
    {
        return highestVersion;
    }

    /**
     * Writes the request into a frame, without the correlation id.
     *
     * @return the length of the frame in bytes.
     */
    public abstract int encode(RequestFrame frame, int version);

    /**
     * @param index index of the first byte after the correlation id.
     * @return false if the request must be retried after a backoff.
     */
    public abstract boolean onResponse(DirectBuffer buffer, int index, int limit, int version);

    /**
     * Applies the result of the last response to other parts of the client.
     *
     * @return true if the owner must handle {@link #errorCode()} and {@link #leftOutPartition()}.
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
     * Returns true if the receive buffer must not grow for a response; only the first part of a larger response is
     * read, and the connection is opened again.
     */
    public boolean isFirstPartEnough()
    {
        return false;
    }

    /** Returns how long the broker may hold the response to the last encoded request, in nanoseconds. */
    public long heldNs()
    {
        return 0;
    }

    /** Takes note that the request in flight gets no response. */
    public void onLost()
    {
    }

    public static boolean isRetriable(final short errorCode)
    {
        return ErrorCode.isRetriable(errorCode) || errorCode == ErrorCode.UNKNOWN_SERVER_ERROR;
    }
}
