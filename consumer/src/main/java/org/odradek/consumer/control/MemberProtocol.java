// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

/**
 * The requests by which a {@link GroupMember} joins its group, stays in it, and leaves it: whichever is the next one.
 * They run on the time of the clock: a session expires even if nobody polls.
 */
interface MemberProtocol extends ControlRequest
{
    /** Whether there is a next request, now or when it is due. */
    boolean canSend();

    /** Whether a request is to be sent now, as far as the member is concerned. */
    boolean isDue(long nowNs);
}
