// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.protocol.ApiKey;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * The requests by which a {@link GroupMember} joins its group, stays in it, and leaves it: whichever is the next one.
 * They run on the time of the clock: a session expires even if nobody polls.
 */
abstract class MemberProtocol extends GroupRequest
{
    private static final double LEAST_PART = 0.1;

    final GroupMember member;
    final ConsumerSettings.Group settings;
    final Environment environment;
    /** Between two usual heartbeats. */
    long intervalNs;
    /** When the last request was sent, and the number of changes of what was owned then. */
    long sentNs;
    int sentChanges;

    MemberProtocol(final ApiKey apiKey, final GroupMember member, final Environment environment)
    {
        super(apiKey, environment.settings().retryBackoff());
        this.member = member;
        settings = environment.settings().group;
        this.environment = environment;
    }

    /** The member has the result. */
    @Override
    public final boolean complete()
    {
        return false;
    }

    /** Whether the last answer has not ended what it belongs to: after a join, the sync may still fail. */
    boolean isJoining()
    {
        return false;
    }

    /** Whether there is a next request, now or when it is due. */
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

    /** Whether the member is to join by another protocol instead. */
    boolean isRefused()
    {
        return false;
    }

    /** The member has joined for the first time. */
    void onJoined()
    {
    }

    /** Whether the next request may be sent after another one: the coordinator answers it at once. */
    abstract boolean mayFollow();

    /**
     * A random part of an interval, after which the first usual heartbeat follows a change. Members that learn of a
     * change together would otherwise send all their heartbeats together from then on. A session lasts several
     * intervals, so they would also learn as late as possible that one of them was killed.
     */
    final long partOf(final long wholeNs)
    {
        return (long)(wholeNs * (LEAST_PART + (1 - LEAST_PART) * environment.settings().random.nextDouble()));
    }
}
