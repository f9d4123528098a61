// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The states of a member of a consumer group. */
public enum GroupState
{
    /** It looks for the coordinator, or asks to be a member. It owns nothing. */
    JOINING,
    /** It owns what the coordinator has assigned. */
    STABLE,
    /** It gives up or takes partitions, because its assignment has changed. */
    RECONCILING,
    /** The coordinator has removed it: it has lost everything, and joins again. */
    FENCED,
    /** It has left the group, at a close or because it was asked to. */
    LEFT,
    /** It cannot be a member: the error handler has received the reason. It owns nothing and does not try again. */
    FAILED
}
