// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.Brokers;
import org.odradek.client.net.ClientEnvironment;

/**
 * What all connections of one publisher share.
 *
 * @param settings    of the publisher.
 * @param pool        of all batches.
 * @param topics      that it publishes to.
 * @param producerIds that partitions begin with.
 * @param brokers     of the cluster.
 * @param counters    to write.
 * @param environment of its connections.
 */
record PublishScope(
    PublisherSettings settings,
    BatchPool pool,
    Topics topics,
    ProducerIds producerIds,
    Brokers brokers,
    PublisherCounters counters,
    ClientEnvironment environment)
{
}
