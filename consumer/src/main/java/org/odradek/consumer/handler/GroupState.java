// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The states of a member of a consumer group. */
public enum GroupState
{
    /** It looks up the coordinator, or has sent a join. It owns no partition. */
    JOINING,
    /** It owns the partitions that the coordinator has assigned. */
    STABLE,
    /** It revokes or takes partitions, because its assignment has changed. */
    RECONCILING,
    /** The coordinator has removed it: it has lost all partitions, and joins again. */
    FENCED,
    /** It has left the group, because it was closed or {@code leave} was called. */
    LEFT,
    /** It cannot be a member: the error handler has the reason. It owns no partition and does not try again. */
    FAILED
}
