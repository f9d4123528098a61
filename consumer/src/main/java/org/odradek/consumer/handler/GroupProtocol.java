// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The protocols by which a consumer can be a member of a consumer group. */
public enum GroupProtocol
{
    /**
     * Means {@link #CONSUMER}, or {@link #CLASSIC} if the coordinator does not support the protocol CONSUMER or refuses
     * to convert a classic group.
     */
    AUTO,
    /** The brokers assign the partitions (KIP-848). Brokers support this protocol from version 4.0 on. */
    CONSUMER,
    /** One of the members assigns the partitions. Brokers must have version 2.3 or later. */
    CLASSIC
}
