// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.cluster.BrokerEndPoint;

import java.util.List;

/**
 * Where a partition is.
 *
 * @param partitionId from 0.
 * @param leader      null while there is none.
 * @param replicas    those brokers with a replica that are up.
 * @param isr         those brokers with a replica in step that are up.
 * @param errorCode   see {@link org.odradek.kafka.common.ErrorMapping}.
 */
public record PartitionMetadata(
    int partitionId, BrokerEndPoint leader, List<BrokerEndPoint> replicas, List<BrokerEndPoint> isr, short errorCode)
{
}
