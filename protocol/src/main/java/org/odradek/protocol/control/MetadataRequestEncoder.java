// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes Metadata requests, versions 4 to 13, for the brokers of the cluster and the leaders of one topic, or of
 * several given by name. They never create a topic. A frame is built once per connection; then only the correlation id
 * changes.
 * <pre>
 *  RequestHeader
 *  topics                              array   of 1 or more
 *    topicId                           uuid    from 10  zero unless requested by id
 *    name                              string           null if requested by id
 *    tags                                      from 9
 *  allowAutoTopicCreation              bool             false
 *  includeClusterAuthorizedOperations  bool    8 to 10  false
 *  includeTopicAuthorizedOperations    bool    from 8   false
 *  tags                                        from 9
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Metadata">Metadata in the protocol guide</a>
 */
public final class MetadataRequestEncoder
{
    /** Versions 10 and 11 have ids, but brokers do not look up topics by them. */
    private static final int FIRST_VERSION_BY_ID = 12;

    private static final int FIRST_VERSION_WITH_ID = 10;

    /** Topic id, tag count. */
    private static final int MAX_TOPIC_LENGTH = 2 * Long.BYTES + 1;
    /** Array count, flags, tag count. */
    private static final int MAX_FIXED_LENGTH = 5 + 3 + 1;

    private final byte[] clientId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;

    /** @param clientId may be null. */
    public MetadataRequestEncoder(final String clientId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** Requests the topic by this id instead of by name in versions that allow it; zero means by name. */
    public MetadataRequestEncoder topicId(final long mostSignificantBits, final long leastSignificantBits)
    {
        topicIdMostSignificantBits = mostSignificantBits;
        topicIdLeastSignificantBits = leastSignificantBits;
        return this;
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int build(final MutableDirectBuffer buffer, final int version)
    {
        begin(buffer, version, 1);
        final boolean isById = version >= FIRST_VERSION_BY_ID &&
            (topicIdMostSignificantBits | topicIdLeastSignificantBits) != 0;
        if (isById)
        {
            writer.uuid(topicIdMostSignificantBits, topicIdLeastSignificantBits).string(null).noTags();
            return end(version);
        }
        return name(topic, version).end(version);
    }

    /**
     * @param topics names in UTF-8, of which there must be one or more.
     * @return length of the frame, which lacks the correlation id.
     */
    public int build(final MutableDirectBuffer buffer, final int version, final byte[][] topics)
    {
        begin(buffer, version, topics.length);
        for (final byte[] name : topics)
        {
            name(name, version);
        }
        return end(version);
    }

    private void begin(final MutableDirectBuffer buffer, final int version, final int count)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.METADATA, version, clientId);
        writer.entryCount(count);
    }

    private MetadataRequestEncoder name(final byte[] name, final int version)
    {
        if (version >= FIRST_VERSION_WITH_ID)
        {
            writer.uuid(0, 0);
        }
        writer.string(name).noTags();
        return this;
    }

    private int end(final int version)
    {
        writer.bool(false);
        if (version >= 8 && version <= 10)
        {
            writer.bool(false);
        }
        if (version >= 8)
        {
            writer.bool(false);
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + MAX_TOPIC_LENGTH +
            WireWriter.maxStringLength(topic);
    }

    /** Largest length of a frame with these topics. */
    public int maxFrameLength(final byte[][] topics)
    {
        int length = RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH;
        for (final byte[] name : topics)
        {
            length = Math.addExact(length, MAX_TOPIC_LENGTH + WireWriter.maxStringLength(name));
        }
        return length;
    }
}
