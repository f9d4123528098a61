// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The protocols by which a consumer can be a member of a consumer group. */
public enum GroupProtocol
{
    /** Means {@link #CONSUMER} if the coordinator of the group supports it, and {@link #CLASSIC} otherwise. */
    AUTO,
    /** The brokers assign the partitions (KIP-848); they support it from 4.0 on. */
    CONSUMER,
    /** One of the members assigns the partitions. Brokers support the requests that the consumer uses from 2.3 on. */
    CLASSIC
}
