// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes Metadata requests, versions 4 to 13, for the brokers of the cluster and the leaders of topics, which are
 * given by name. They never create a topic.
 * <pre>
 *  RequestHeader
 *  topics                              array   of 1 or more
 *    topicId                           uuid    from 10  zero
 *    name                              string
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
    private static final int FIRST_VERSION_WITH_ID = 10;

    /** Topic id, tag count. */
    private static final int MAX_TOPIC_LENGTH = 2 * Long.BYTES + 1;
    /** Array count, flags, tag count. */
    private static final int MAX_FIXED_LENGTH = 5 + 3 + 1;

    private final byte[] clientId;
    private final WireWriter writer = new WireWriter();

    /** @param clientId may be null. */
    public MetadataRequestEncoder(final String clientId)
    {
        this.clientId = WireWriter.encode(clientId);
    }

    /**
     * @param topics names in UTF-8.
     * @param count  of the names that are requested, from the first on; 1 or more.
     * @return length of the frame, which lacks the correlation id.
     */
    public int build(final MutableDirectBuffer buffer, final int version, final byte[][] topics, final int count)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.METADATA, version, clientId);
        writer.entryCount(count);
        for (int i = 0; i < count; i++)
        {
            if (version >= FIRST_VERSION_WITH_ID)
            {
                writer.uuid(0, 0);
            }
            writer.string(topics[i]).noTags();
        }
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

    /** Largest length of a frame with so many of these topics. */
    public int maxFrameLength(final byte[][] topics, final int count)
    {
        int length = RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH;
        for (int i = 0; i < count; i++)
        {
            length = Math.addExact(length, MAX_TOPIC_LENGTH + WireWriter.maxStringLength(topics[i]));
        }
        return length;
    }
}
