// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.odradek.client.core.TopicIdentity;
import org.odradek.protocol.produce.ProduceRequestEncoder;
import org.odradek.protocol.produce.ProduceResponseFlyweight;

import java.util.Arrays;

/** The topics of a publisher by number, name and id. */
final class Topics
{
    private TopicQueues[] byNumber = {};
    private TopicQueues[] byName = {};
    /** The topics, sorted by the ids that were known at the last {@link #sort}. */
    private TopicQueues[] byId = {};
    private int seenChanges;

    void add(final TopicQueues topic)
    {
        byNumber = Arrays.copyOf(byNumber, byNumber.length + 1);
        byNumber[byNumber.length - 1] = topic;
        byName = byNumber.clone();
        Arrays.sort(byName, (a, b) -> Arrays.compareUnsigned(a.topic().encodedName, b.topic().encodedName));
        byId = byNumber.clone();
        sort();
    }

    int count()
    {
        return byNumber.length;
    }

    TopicQueues get(final int number)
    {
        return byNumber[number];
    }

    /** Has the partitions of all topics distributed over the brokers again. */
    void changeAssignment()
    {
        for (final TopicQueues topic : byNumber)
        {
            topic.changeAssignment();
        }
    }

    TopicQueues named(final String name)
    {
        for (final TopicQueues topic : byNumber)
        {
            if (topic.topic().name().equals(name))
            {
                return topic;
            }
        }
        return null;
    }

    void update()
    {
        int changes = 0;
        for (final TopicQueues topic : byNumber)
        {
            changes += topic.topic().identity.changes();
        }
        if (changes != seenChanges)
        {
            seenChanges = changes;
            sort();
        }
    }

    private void sort()
    {
        Arrays.sort(byId, (a, b) ->
        {
            final TopicIdentity other = b.topic().identity;
            return compareId(a, other.idMostSignificantBits(), other.idLeastSignificantBits());
        });
    }

    TopicQueues find(final ProduceResponseFlyweight response, final int version)
    {
        return version >= ProduceRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID ?
            find(response.topicIdMostSignificantBits(), response.topicIdLeastSignificantBits()) :
            find(response.buffer(), response.topicIndex(), response.topicLength());
    }

    private TopicQueues find(final long idMostSignificantBits, final long idLeastSignificantBits)
    {
        int low = 0;
        int high = byId.length - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            final int order = compareId(byId[middle], idMostSignificantBits, idLeastSignificantBits);
            if (order == 0)
            {
                return byId[middle];
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle - 1;
        }
        return null;
    }

    private static int compareId(
        final TopicQueues topic, final long idMostSignificantBits, final long idLeastSignificantBits)
    {
        final TopicIdentity identity = topic.topic().identity;
        final int order = Long.compare(identity.idMostSignificantBits(), idMostSignificantBits);
        return order != 0 ? order : Long.compare(identity.idLeastSignificantBits(), idLeastSignificantBits);
    }

    private TopicQueues find(final DirectBuffer buffer, final int index, final int length)
    {
        int low = 0;
        int high = byName.length - 1;
        while (low <= high)
        {
            final int middle = low + high >>> 1;
            final int order = compareName(byName[middle].topic().encodedName, buffer, index, length);
            if (order == 0)
            {
                return byName[middle];
            }
            low = order < 0 ? middle + 1 : low;
            high = order < 0 ? high : middle - 1;
        }
        return null;
    }

    private static int compareName(
        final byte[] name, final DirectBuffer buffer, final int index, final int length)
    {
        final int common = Math.min(name.length, length);
        for (int i = 0; i < common; i++)
        {
            final int order = Byte.compareUnsigned(name[i], buffer.getByte(index + i));
            if (order != 0)
            {
                return order;
            }
        }
        return name.length - length;
    }
}
