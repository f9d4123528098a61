// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireReader;

/**
 * The walk over the partitions of all topics in a response that contains an array of topics, each with an array of
 * partitions. The response flyweight that owns it reads the fields of each partition.
 */
final class PartitionWalk
{
    private static final int MIN_TOPIC_LENGTH = 3;

    private final WireReader reader = new WireReader();
    private final ResponseTopic topic = new ResponseTopic();
    private final Field topicField;
    private final int minPartitionLength;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean hasTopicId;
    private boolean isInTopic;
    private boolean isEnded;

    PartitionWalk(final Field topicField, final int minPartitionLength)
    {
        this.topicField = topicField;
        this.minPartitionLength = minPartitionLength;
    }

    /** Wraps a response, of which nothing can be walked until {@link #beginTopics} has been called. */
    WireReader wrap(
        final ApiKey apiKey, final int version, final DirectBuffer buffer, final int index, final int limit)
    {
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isEnded = true;
        ResponseHeader.wrapBody(reader, apiKey, version, buffer, index, limit);
        return reader;
    }

    void beginTopics(final boolean hasTopicId)
    {
        this.hasTopicId = hasTopicId;
        topicsLeft = reader.arrayCount(Field.TOPICS, MIN_TOPIC_LENGTH);
        expectEnd();
    }

    /** Moves to the next partition of the array of topics, or to the end of that array. */
    boolean next()
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
            partitionsLeft = reader.arrayCount(Field.PARTITIONS, minPartitionLength);
            isInTopic = true;
        }
        partitionsLeft--;
        return true;
    }

    /** As {@link #next()}, but reads the end of the response after the last partition. */
    boolean nextOrEnd()
    {
        if (next())
        {
            return true;
        }
        end();
        return false;
    }

    /** Makes {@link #end()} read the end of the response even if it has no topics. */
    void expectEnd()
    {
        isEnded = false;
    }

    void end()
    {
        if (!isEnded)
        {
            isEnded = true;
            reader.skipTags();
        }
    }

    WireReader reader()
    {
        return reader;
    }

    ResponseTopic topic()
    {
        return topic;
    }
}
