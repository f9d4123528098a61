// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.core.TopicIdentity;

/**
 * A topic of a publisher: its identity, and whether its partitions need metadata or a new distribution over brokers.
 */
final class PublishedTopic
{
    final TopicIdentity identity;
    final byte[] encodedName;
    final int number;
    PartitionLeaders.Need metadataNeed = PartitionLeaders.Need.REFRESH;
    /**
     * True if a partition has another leader, or the address of a broker has changed, since the partitions were last
     * distributed.
     */
    boolean isAssignmentChanged;

    PublishedTopic(final String name, final int number)
    {
        identity = new TopicIdentity(name);
        encodedName = identity.encodedName();
        this.number = number;
    }

    void wantMetadata(final PartitionLeaders.Need need)
    {
        metadataNeed = metadataNeed.and(need);
    }

    String name()
    {
        return identity.name();
    }
}
