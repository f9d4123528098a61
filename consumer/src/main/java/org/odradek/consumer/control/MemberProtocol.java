// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.net.Backoff;
import org.odradek.protocol.ApiKey;

/**
 * The requests by which a {@link GroupMember} joins its group, stays in it, and leaves it: whichever is the next one.
 * They run on the time of the clock: a session expires even if nobody polls.
 */
abstract class MemberProtocol extends ControlRequest
{
    MemberProtocol(final ApiKey apiKey, final Backoff backoff)
    {
        super(apiKey, backoff);
    }

    /** Whether there is a next request, now or when it is due. */
    abstract boolean canSend();

    /** Whether a request is to be sent now, as far as the member is concerned. */
    abstract boolean isDue(long nowNs);
}
