// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/** The protocols by which a consumer can be a member of a consumer group. */
public enum GroupProtocol
{
    /** {@link #CONSUMER} where the coordinator of the group has it, or else {@link #CLASSIC}. */
    AUTO,
    /** The brokers divide the partitions (KIP-848); they have it from 4.0 on. */
    CONSUMER,
    /** One of the members divides the partitions; brokers have it from 2.3 on in the form that is used here. */
    CLASSIC
}
