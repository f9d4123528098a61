// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.core.TopicIdentity;

/** What is known of a topic as a whole, and what its partitions want of those who care for all of them. */
final class PublishedTopic
{
    final TopicIdentity identity;
    final byte[] encodedName;
    /** Of this topic among those of the publisher, from 0. */
    final int number;
    /** From the start, so that no thread waits before the first request. */
    PartitionLeaders.Need metadataNeed = PartitionLeaders.Need.REFRESH;
    /** A partition has another leader, or the address of a leader has changed. */
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
