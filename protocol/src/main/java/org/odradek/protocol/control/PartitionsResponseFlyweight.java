// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireLimits;

/**
 * A view of a response that contains an array of topics, each with an array of partitions: the walk over all
 * partitions. A subclass reads the fields of each partition.
 */
public abstract class PartitionsResponseFlyweight extends ResponseFlyweight
{
    private static final int MIN_TOPIC_LENGTH = 3;

    private final ResponseTopic topic = new ResponseTopic();
    private final Field topicField;
    private final int minPartitionLength;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean hasTopicId;
    private boolean isInTopic;
    private boolean isEnded;
    int partition;
    short partitionErrorCode;

    PartitionsResponseFlyweight(final Field topicField, final int minPartitionLength)
    {
        this.topicField = topicField;
        this.minPartitionLength = minPartitionLength;
    }

    /** Moves the reader past the header. There are no partitions until {@link #beginTopics} has been called. */
    final void wrapPartitions(
        final ApiKey apiKey, final int version, final DirectBuffer buffer, final int index, final int limit)
    {
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isEnded = true;
        wrapBody(apiKey, version, buffer, index, limit);
    }

    final void beginTopics(final boolean byId)
    {
        hasTopicId = byId;
        topicsLeft = reader.arrayCount(Field.TOPICS, MIN_TOPIC_LENGTH);
        expectEnd();
    }

    /** Moves to the next partition of the array of topics, or to the end of that array. */
    final boolean next()
    {
        while (0 == partitionsLeft)
        {
            if (isInTopic)
            {
                isInTopic = false;
                reader.skipTags();
            }
            if (0 == topicsLeft)
            {
                return false;
            }
            topicsLeft--;
            topic.read(reader, hasTopicId, topicField);
            partitionsLeft = reader.arrayCount(Field.PARTITIONS, minPartitionLength, WireLimits.MAX_PARTITIONS);
            isInTopic = true;
        }
        partitionsLeft--;
        return true;
    }

    /** As {@link #next()}, but reads the end of the response after the last partition. */
    final boolean nextOrEnd()
    {
        if (next())
        {
            return true;
        }
        end();
        return false;
    }

    /** Makes {@link #end()} read the end of the response even if it has no topics. */
    final void expectEnd()
    {
        isEnded = false;
    }

    final void end()
    {
        if (!isEnded)
        {
            isEnded = true;
            reader.skipTags();
        }
    }

    /** The topic of the current partition. */
    public final ResponseTopic topic()
    {
        return topic;
    }

    /** May be negative or repeated: the broker is not trusted to send each partition once. */
    public final int partition()
    {
        return partition;
    }

    /** 0 if partitions have none. */
    public final short partitionErrorCode()
    {
        return partitionErrorCode;
    }
}
