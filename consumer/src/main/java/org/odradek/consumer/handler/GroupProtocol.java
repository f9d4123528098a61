// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The protocols by which a consumer can be a member of a consumer group. */
public enum GroupProtocol
{
    /** {@link #CONSUMER} if the coordinator of the group supports it, or else {@link #CLASSIC}. */
    AUTO,
    /** The brokers assign the partitions (KIP-848); they support it from 4.0 on. */
    CONSUMER,
    /** One of the members assigns the partitions; brokers support the form that is used here from 2.3 on. */
    CLASSIC
}
