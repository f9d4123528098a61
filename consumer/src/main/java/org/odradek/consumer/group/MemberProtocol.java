// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.cluster.ControlRequest;
import org.odradek.consumer.core.Settings;
import org.odradek.protocol.ApiKey;

import java.util.random.RandomGenerator;

/**
 * The requests by which a {@link GroupMember} joins its group, stays in it, and leaves it: whichever is the next one.
 * They run on the time of the clock: a session expires even if nobody polls.
 */
abstract class MemberProtocol extends ControlRequest
{
    private static final double LEAST_PART = 0.1;

    private final RandomGenerator random;

    MemberProtocol(final ApiKey apiKey, final Settings settings)
    {
        super(apiKey, settings.retryBackoff());
        random = settings.random;
    }

    /** The member has the result. */
    @Override
    public final boolean complete()
    {
        return false;
    }

    /** Whether there is a next request, now or when it is due. */
    abstract boolean canSend();

    /** Whether a request is to be sent now, as far as the member is concerned. */
    abstract boolean isDue(long nowNs);

    /**
     * A random part of an interval, after which the first usual heartbeat follows a change. Members that learn of a
     * change together would otherwise send all their heartbeats together from then on. A session lasts several
     * intervals, so they would also learn as late as possible that one of them was killed.
     */
    final long partOf(final long intervalNs)
    {
        return (long)(intervalNs * (LEAST_PART + (1 - LEAST_PART) * random.nextDouble()));
    }
}
