// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/** The kinds of faults. A fault counts when it has taken effect, which is defined for each kind. */
enum FaultKind
{
    /** A connection is refused by a broker that runs. */
    CONNECT_REFUSED,
    /** An attempt to connect to a broker that runs gets no answer. */
    CONNECT_UNANSWERED,
    /** An established connection is reset, at any byte. */
    CONNECTION_RESET,
    /** The broker closes an established connection, at any byte. */
    CONNECTION_CLOSED,
    /** An established connection loses every byte from some byte on, and neither side is notified. */
    CONNECTION_HALF_OPEN,
    /** The process of a broker that has a connection of the consumer stops for a while. */
    BROKER_PAUSED,
    /** A broker that has a connection of the consumer ends without closing it, and starts later. */
    BROKER_CRASHED,
    /** A broker with a connection of the consumer shuts down, leaders move first, and starts later. */
    BROKER_RESTARTED,
    /** A broker ends, whatever it leads, and never comes back. */
    BROKER_LOST,
    /** A broker is decommissioned: others take its replicas, it ends, and metadata and names forget it. */
    BROKER_DECOMMISSIONED,
    /** A broker that runs is replaced by one of another release. */
    BROKER_UPGRADED,
    /** A partition has another leader. */
    LEADER_MOVED,
    /** A partition has a leader that lacks the last records, which are lost. */
    UNCLEAN_ELECTION,
    /** Records at the beginning of a log are deleted. */
    RETENTION,
    /** The topic is deleted and created again. */
    TOPIC_RECREATED,
    /** The topic has more partitions. */
    PARTITIONS_ADDED,
    /** The high watermark of a partition stays where it is, although records are appended. */
    HIGH_WATERMARK_HELD,
    /** A Metadata request is answered from a view that is no longer kept up to date. */
    STALE_METADATA,
    /** Another broker is the coordinator of all groups. */
    COORDINATOR_MOVED,
    /** The host of a name that was looked up has another address, and its connections break. */
    DNS_CHANGED,
    /** A lookup fails, although the name has an address. */
    DNS_FAILED,
    /** A lookup takes more than a second. */
    DNS_SLOW,
    /** A response with records was sent with changed bytes inside its records. */
    CORRUPT_BATCH,
    /** A response was sent that is shorter than its content, or has an impossible length or another correlation id. */
    LYING_FRAME,
    /** A request was served, but its response is never sent. */
    RESPONSE_LOST,
    /** A response was sent late. */
    RESPONSE_DELAYED,
    /** A Produce request was executed late, perhaps after later ones, and its response is never sent. */
    REQUEST_LATE,
    /** A response to a fetch demands that the client waits. */
    QUOTA,
    /** A response to another request demands that the client waits. */
    CONTROL_QUOTA,
    /** A broker that has a connection of the consumer and fetch sessions evicts them. */
    SESSION_EVICTED,
    /** A partition of a response has an error that ends by itself. */
    ERROR_CODE,
    /** A response to a request for offsets, or to commit them, or to publish, leaves out a partition. */
    PARTITION_LEFT_OUT,
    /** A response names a broker with an address that cannot be. */
    IMPOSSIBLE_ADDRESS,
    /** A broker has refused to give a publisher a producer id. */
    ID_REFUSED,
    /** A broker has refused the password, which is another one for a while. */
    PASSWORD_CHANGED,
    /** The time of day is stepped. */
    CLOCK_STEPPED,
    /** The consumer's nanosecond clock overflows: after {@code Long.MAX_VALUE} comes the most negative value. */
    CLOCK_WRAPPED,
    /** The user's thread does not poll for a while, or a handler takes long. */
    USER_STALLED(true),
    /** A handler throws an exception. */
    HANDLER_THREW(true),
    /** A handler refuses a record or a batch, which must be delivered again. */
    RECORD_REFUSED(true),
    /** A handler ends a poll with BREAK. */
    POLL_ENDED(true),
    /** The user seeks, in a handler or between polls. */
    SOUGHT(true),
    /** The user pauses a partition, in a handler or between polls. */
    PARTITION_PAUSED(true),
    /** The user resumes a partition. */
    PARTITION_RESUMED(true),
    /** The user stops reading a partition, in a handler or between polls. */
    PARTITION_UNASSIGNED(true),
    /** The user assigns a partition, at any start position. */
    PARTITION_ASSIGNED(true),
    /** The user queries an offset. */
    OFFSET_QUERIED(true),
    /** The user commits offsets under a group. */
    OFFSETS_COMMITTED(true),
    /** The user closes the consumer and opens another one. */
    CONSUMER_REOPENED(true),
    /** A handler closes another consumer on the same poller and thread. */
    NEIGHBOUR_CLOSED(true),
    /** A member of a group ends without leaving it. */
    MEMBER_KILLED(true),
    /** The connections of a member of a group lose every byte for a while, old ones and new ones. */
    MEMBER_CUT_OFF(true),
    /** The handlers of members of a group take up to six heartbeat intervals for a batch, in a whole round. */
    HANDLER_SLOW(true),
    /** The thread of a member of a group is interrupted, perhaps while it closes the consumer. */
    THREAD_INTERRUPTED(true),
    /** Another thread closes a member of a group, at any moment. */
    CLOSED_BY_OTHER(true),
    /** A member of a group is closed without leaving first. */
    MEMBER_CLOSED(true),
    /** A listener or an error handler of a member of a group throws an exception. */
    CALLBACK_THREW(true),
    /** A callback of a member of a group calls the consumer. */
    CALLBACK_CALLED(true),
    /** All members of a group have equal generators of random numbers, and equal client ids. */
    MEMBERS_ALIKE(true),
    /** Another process joins with the instance id of a static member. */
    INSTANCE_TAKEN(true),
    /** A member of a group is closed without any time to leave. */
    CLOSED_LATE(true);

    /** Whether the user causes it. */
    final boolean isOfUser;

    FaultKind()
    {
        this(false);
    }

    FaultKind(final boolean isOfUser)
    {
        this.isOfUser = isOfUser;
    }
}
