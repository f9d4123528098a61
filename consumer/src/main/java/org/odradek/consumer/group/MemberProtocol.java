// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.protocol.ApiKey;

import static org.odradek.client.core.DutyClock.earlier;

/** Encodes the requests by which a {@link GroupMember} joins its group, stays in it, and leaves it. */
abstract class MemberProtocol extends GroupRequest
{
    private static final double LEAST_PART = 0.1;

    final GroupMember member;
    final ConsumerSettings.Group settings;
    final Environment environment;
    /** The heartbeat interval in nanoseconds: that of the settings in a classic group, otherwise that of the broker. */
    long intervalNs;
    long sentNs;
    int sentChanges;

    MemberProtocol(final ApiKey apiKey, final GroupMember member, final Environment environment)
    {
        super(apiKey, environment.settings().retryBackoff());
        this.member = member;
        settings = environment.settings().group;
        this.environment = environment;
    }

    @Override
    public final boolean complete()
    {
        return false;
    }

    /** Returns true if a join that consists of several requests has not ended. */
    boolean isJoining()
    {
        return false;
    }

    abstract boolean canSend();

    @Override
    final long dueNs(final long otherwiseNs)
    {
        return canSend() && !isDue() ? earlier(member.dueNs(), otherwiseNs) : otherwiseNs;
    }

    @Override
    final void fail(final ApiKey failed, final short newErrorCode)
    {
        member.fail(failed, newErrorCode);
    }

    /** Returns true if the member must join by another protocol instead. */
    boolean isRefused()
    {
        return false;
    }

    void onJoined()
    {
    }

    /**
     * Returns true if the coordinator answers the next request at once, so that the request may be sent while another
     * request is in flight.
     */
    abstract boolean mayFollow();

    /**
     * Returns a random part of an interval, from 10 to 100 %, so that members that are notified of a change together do
     * not send all later heartbeats together.
     */
    final long partOf(final long wholeNs)
    {
        return (long)(wholeNs * (LEAST_PART + (1 - LEAST_PART) * environment.settings().random.nextDouble()));
    }
}
