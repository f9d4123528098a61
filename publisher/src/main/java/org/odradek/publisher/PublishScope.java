// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.Brokers;
import org.odradek.client.net.ClientEnvironment;

/**
 * The objects that all connections of one publisher share.
 *
 * @param settings    the settings of the publisher.
 * @param pool        the memory of all batches.
 * @param topics      the topics that the publisher publishes to.
 * @param producerIds the source of the producer ids.
 * @param brokers     the brokers of the cluster.
 * @param counters    the counters of the publisher.
 * @param environment the environment of its connections.
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
