// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.protocol.ApiKey;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * The requests by which a {@link GroupMember} joins its group, stays in it, and leaves it; this object encodes the next
 * one of them. The deadlines of these requests depend on the clock, because a session expires even if no thread polls.
 */
abstract class MemberProtocol extends GroupRequest
{
    private static final double LEAST_PART = 0.1;

    final GroupMember member;
    final ConsumerSettings.Group settings;
    final Environment environment;
    /** The interval between two usual heartbeats, in nanoseconds. */
    long intervalNs;
    /**
     * The time at which the last request was sent. The next field is the number of changes of the owned partitions at
     * that time.
     */
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

    /** Returns true if a join has not ended: after an answer to the join, the sync may still fail. */
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

    /** Notes that the member has joined for the first time. */
    void onJoined()
    {
    }

    /**
     * Returns true if the next request may be sent while another one is not answered, because the coordinator answers
     * it at once.
     */
    abstract boolean mayFollow();

    /**
     * Returns a random part of an interval, after which the first usual heartbeat follows a change. Without it, members
     * that are notified of a change together would send all later heartbeats together. A session usually lasts a
     * multiple of the interval. So if one of these members was killed, the others would send heartbeats just before the
     * session of that member expires, and would be notified of the change as late as possible.
     */
    final long partOf(final long wholeNs)
    {
        return (long)(wholeNs * (LEAST_PART + (1 - LEAST_PART) * environment.settings().random.nextDouble()));
    }
}
