// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.produce.ProduceRequestEncoder;

import java.util.Arrays;

/**
 * A Produce request with copies of the first batches of some partitions, so that a batch in flight can be given up. The
 * partitions of a request can be read until the next request is begun.
 */
final class ProduceRequest
{
    private static final int FIRST_VERSION_WITH_ID = ProduceRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID;

    private static final class Entry
    {
        private PartitionQueue queue;
        private Entry nextOfTopic;
    }

    private static final class Part
    {
        private PublishedTopic topic;
        private int count;
        private Entry first;
        private Entry last;
    }

    private final boolean isIdempotent;
    private final int timeoutMs;
    private final int capacity;
    private final RequestFrame frame;
    private final ProduceRequestEncoder encoder;
    private int version;
    private int length;
    private int count;
    private int partCount;
    private Entry[] entries = {};
    private Part[] parts = {};
    /** The parts by {@link PublishedTopic#number}; null for a topic that is not in the request. */
    private Part[] partOf = {};

    ProduceRequest(final PublisherSettings settings, final ClientEnvironment environment)
    {
        isIdempotent = settings.isIdempotent();
        timeoutMs = environment.settings().requestTimeoutMs;
        capacity = settings.requestMaxLength();
        frame = new RequestFrame(environment.budget(), capacity);
        encoder = new ProduceRequestEncoder(environment.settings().clientId);
    }

    /** Returns the maximum length in bytes of a request with one batch of {@code batchLength} bytes. */
    static int leastLength(final String clientId, final int batchLength, final int topicLength)
    {
        return (int)Math.min(Integer.MAX_VALUE, (long)new ProduceRequestEncoder(clientId).maxLength() +
            ProduceRequestEncoder.maxTopicLength(new byte[topicLength]) +
            ProduceRequestEncoder.MAX_PARTITION_OVERHEAD + batchLength);
    }

    /** @param commonVersion the highest version that the broker and this client support. */
    void begin(final int commonVersion, final int topicCount)
    {
        for (int i = 0; i < partCount; i++)
        {
            partOf[parts[i].topic.number] = null;
        }
        version = commonVersion;
        length = encoder.maxLength();
        count = 0;
        partCount = 0;
        if (partOf.length < topicCount)
        {
            partOf = Arrays.copyOf(partOf, topicCount);
        }
    }

    /**
     * @return false if the first batch of the partition does not fit, or cannot be compressed before the next duty
     *         cycle.
     */
    boolean add(final PartitionQueue queue)
    {
        final PublishedTopic topic = queue.topic();
        Part part = partOf[topic.number];
        final int batchLength = queue.closeFirst();
        final int added = batchLength + ProduceRequestEncoder.MAX_PARTITION_OVERHEAD +
            (part == null ? ProduceRequestEncoder.maxTopicLength(topic.encodedName) : 0);
        if (batchLength == 0 || added > capacity - length)
        {
            return false;
        }
        length += added;
        if (part == null)
        {
            part = newPart(topic);
        }
        final Entry entry = newEntry(queue);
        if (part.count == 0)
        {
            part.first = entry;
        }
        else
        {
            part.last.nextOfTopic = entry;
        }
        part.last = entry;
        part.count++;
        assert isConsistent();
        return true;
    }

    private Part newPart(final PublishedTopic topic)
    {
        if (partCount == parts.length)
        {
            parts = Arrays.copyOf(parts, Math.max(16, 2 * partCount));
        }
        if (parts[partCount] == null)
        {
            parts[partCount] = new Part();
        }
        final Part part = parts[partCount++];
        part.topic = topic;
        part.count = 0;
        partOf[topic.number] = part;
        version = topic.identity.version(version, FIRST_VERSION_WITH_ID);
        return part;
    }

    private Entry newEntry(final PartitionQueue queue)
    {
        if (count == entries.length)
        {
            entries = Arrays.copyOf(entries, Math.max(16, 2 * count));
        }
        if (entries[count] == null)
        {
            entries[count] = new Entry();
        }
        final Entry entry = entries[count++];
        entry.queue = queue;
        entry.nextOfTopic = null;
        return entry;
    }

    /** @return the length of the frame in bytes. The caller writes the correlation id. */
    int write(final Object sender, final long producerId, final short epoch)
    {
        encoder.begin(frame.buffer(), version,
            isIdempotent ? ProduceRequestEncoder.ACKS_ALL : ProduceRequestEncoder.ACKS_LEADER, timeoutMs, partCount);
        for (int i = 0; i < partCount; i++)
        {
            final Part part = parts[i];
            final TopicIdentity identity = part.topic.identity;
            encoder.topic(part.topic.encodedName, identity.idMostSignificantBits(), identity.idLeastSignificantBits(),
                part.count);
            for (Entry entry = part.first; entry != null; entry = entry.nextOfTopic)
            {
                final Batch batch = entry.queue.take(sender, producerId, epoch, isIdempotent);
                encoder.partition(entry.queue.partition(), batch.encoder.memory().buffer(), batch.encoder.index(),
                    batch.length);
            }
        }
        return encoder.end();
    }

    RequestFrame frame()
    {
        return frame;
    }

    int version()
    {
        return version;
    }

    int count()
    {
        return count;
    }

    PartitionQueue queue(final int index)
    {
        return entries[index].queue;
    }

    void free()
    {
        frame.free();
    }

    private boolean isConsistent()
    {
        int inParts = 0;
        for (int i = 0; i < partCount; i++)
        {
            inParts += parts[i].count;
        }
        // The counts are in front of what they count, and everything fits into the frame.
        return inParts == count && partCount <= count && length <= capacity;
    }
}
