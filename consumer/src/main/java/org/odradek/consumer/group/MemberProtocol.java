// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.protocol.ApiKey;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Encodes the requests by which a {@link GroupMember} joins its group, stays in it, and leaves it. Their deadlines
 * depend on the clock, because a session expires even if no thread polls.
 */
abstract class MemberProtocol extends GroupRequest
{
    private static final double LEAST_PART = 0.1;

    final GroupMember member;
    final ConsumerSettings.Group settings;
    final Environment environment;
    /**
     * The heartbeat interval in nanoseconds: that of the settings in a classic group, otherwise that of the broker.
     */
    long intervalNs;
    /** The time at which the last request was sent. */
    long sentNs;
    int sentChanges;

    MemberProtocol(final ApiKey apiKey, final GroupMember member, final Environment environment)
    {
        super(apiKey, environment.settings().retryBackoff());
        this.member = member;
        settings = environment.settings().group;
        this.environment = environment;
    }

    /** Returns false, because the member has handled the result. */
    @Override
    public final boolean complete()
    {
        return false;
    }

    /** Returns true if a join of several requests has not ended. */
    boolean isJoining()
    {
        return false;
    }

    /** Returns true if there is a next request, now or when it is due. */
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
     * Returns true if the next request may be sent while another one is not answered, because the coordinator answers
     * it at once.
     */
    abstract boolean mayFollow();

    /**
     * Returns a random part of an interval. Members that are notified of a change together wait for such parts, so that
     * they do not send all later heartbeats together.
     */
    final long partOf(final long wholeNs)
    {
        return (long)(wholeNs * (LEAST_PART + (1 - LEAST_PART) * environment.settings().random.nextDouble()));
    }
}
