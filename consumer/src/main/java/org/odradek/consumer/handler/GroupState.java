// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The states of a member of a consumer group. */
public enum GroupState
{
    /** The consumer waits for metadata, looks up the coordinator, or has sent a join. */
    JOINING,
    /** The member owns the partitions that the coordinator has assigned. */
    STABLE,
    /** The member gives up or begins to own partitions, because its assignment has changed. */
    RECONCILING,
    /** The coordinator has removed the member: the member has lost all partitions, and joins again. */
    FENCED,
    /** The member has left the group, because the consumer was closed or {@code leave} was called. */
    LEFT,
    /**
     * The consumer cannot be a member: the error handler has received the reason. The consumer owns no partition and
     * does not try again.
     */
    FAILED
}
