// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.client.cluster.ControlRequest;
import org.odradek.client.core.Backoff;
import org.odradek.protocol.ApiKey;

/** A request to the coordinator of a group. {@link GroupCoordinator} has one list of them, and sends them in turn. */
abstract class GroupRequest extends ControlRequest
{
    GroupRequest(final ApiKey apiKey, final Backoff backoff)
    {
        super(apiKey, backoff);
    }

    /** Whether it is to be sent now, except for its backoff and the state of the connection. */
    abstract boolean isDue();

    /** Returns what is sent next: this request, or one that precedes it. */
    ControlRequest next()
    {
        return this;
    }

    /** Returns when it becomes due as time passes, or {@code otherwiseNs} if that is not before. */
    long dueNs(final long otherwiseNs)
    {
        return otherwiseNs;
    }

    /**
     * The group cannot be used. What waits is given up.
     *
     * @param failed the API of the request that has failed for good, which may be another one.
     */
    abstract void fail(ApiKey failed, short newErrorCode);
}
