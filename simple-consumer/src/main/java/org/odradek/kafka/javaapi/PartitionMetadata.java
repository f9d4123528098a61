// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.cluster.BrokerEndPoint;

import java.util.List;

/**
 * The leader and the replicas of a partition.
 *
 * @param partitionId from 0.
 * @param leader      null without one.
 * @param replicas    the live brokers that have a replica.
 * @param isr         the live brokers that have an in-sync replica.
 * @param errorCode   see {@link org.odradek.kafka.common.ErrorMapping}.
 */
public record PartitionMetadata(
    int partitionId, BrokerEndPoint leader, List<BrokerEndPoint> replicas, List<BrokerEndPoint> isr, short errorCode)
{
}
