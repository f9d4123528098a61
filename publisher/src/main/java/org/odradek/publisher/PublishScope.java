// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.Brokers;
import org.odradek.client.net.ClientEnvironment;

/** The objects that all connections of one publisher share. */
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
