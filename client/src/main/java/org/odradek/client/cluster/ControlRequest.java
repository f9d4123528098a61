// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.agrona.DirectBuffer;
import org.odradek.client.core.Backoff;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;

/**
 * A request that a {@link ControlConnection} sends, and whose response it reads. A request object is used again and
 * again, is in flight at most once at a time, and has the backoff of its retries.
 */
public abstract class ControlRequest
{
    /** Of the next request, or of the one in flight. */
    public ApiKey apiKey;
    /** The throttle time of the response that was read last; {@link #onResponse} sets it. */
    protected int throttleTimeMs;
    /** The error of the response that was read last; {@link #onResponse} sets it if {@link #complete} returns true. */
    protected short errorCode;
    /** A partition that the response that was read last leaves out, or -1. */
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

    /** The backoff of this request's retries, which the connection updates. */
    public final Backoff backoff()
    {
        return backoff;
    }

    /**
     * The version to use.
     *
     * @param highestVersion that both sides support.
     * @return the same or a lower version.
     */
    public int version(final int highestVersion)
    {
        return highestVersion;
    }

    /**
     * Write the request into a frame; the connection adds the correlation id.
     *
     * @return the length of the frame in bytes.
     */
    public abstract int encode(RequestFrame frame, int version);

    /**
     * Read the response and keep its result for the owner of the connection.
     *
     * @param buffer  that holds the response.
     * @param index   of its first byte after the correlation id.
     * @param limit   of its last byte, exclusive.
     * @param version of the request.
     * @return false if the request has to be retried after a backoff.
     * @throws WireFormatException if the response is malformed; then nothing has been changed.
     */
    public abstract boolean onResponse(DirectBuffer buffer, int index, int limit, int version);

    /**
     * Does what the response that was read last means for others. The owner of the connection calls it once.
     *
     * @return true if the owner is to handle {@link #errorCode()}, also none, and {@link #leftOutPartition()}.
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

    /**
     * Takes the error of a result, so that an error is reported when it first occurs, and not again while it lasts.
     *
     * @param code of the error, or none.
     * @return whether the result before was another.
     */
    public final boolean takeError(final short code)
    {
        final boolean isNew = code != reportedError;
        reportedError = code;
        return isNew;
    }

    /**
     * Whether the first part of a response that does not fit into the receive buffer is enough. The buffer does not
     * grow then, and the connection is opened again after such a response.
     */
    public boolean isFirstPartEnough()
    {
        return false;
    }

    /** How long the broker may hold the response to the request that was encoded last, before the request timeout. */
    public long heldNs()
    {
        return 0;
    }

    /** There will be no response, because the connection failed or was closed, or the response was malformed. */
    public void onLost()
    {
    }

    /** Whether the same request may succeed later. */
    public static boolean isRetriable(final short errorCode)
    {
        return ErrorCode.isRetriable(errorCode) || errorCode == ErrorCode.UNKNOWN_SERVER_ERROR;
    }
}
