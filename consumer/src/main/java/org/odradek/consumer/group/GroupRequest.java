// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.core.Backoff;
import org.odradek.protocol.ApiKey;

/** A request to the coordinator of a group. */
abstract class GroupRequest extends ControlRequest
{
    GroupRequest(final ApiKey apiKey, final Backoff backoff)
    {
        super(apiKey, backoff);
    }

    /** Returns true if the request should be sent now, apart from its backoff and the state of the connection. */
    abstract boolean isDue();

    /** Returns the request to send next: this request, or a request that must precede it. */
    ControlRequest next()
    {
        return this;
    }

    /** Returns the time at which the request becomes due, or {@code otherwiseNs} if that is earlier. */
    long dueNs(final long otherwiseNs)
    {
        return otherwiseNs;
    }

    /**
     * Gives up everything that waits, because the group cannot be used.
     *
     * @param failed the API of the request that has failed permanently, which may be another request.
     */
    abstract void fail(ApiKey failed, short newErrorCode);
}
