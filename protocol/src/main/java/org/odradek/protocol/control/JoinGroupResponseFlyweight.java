// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireReader;

/**
 * A view of a JoinGroup response, versions 5 to 9. {@link #wrap} reads up to the members, of which there are some only
 * for the leader; {@link #nextMember} reads the next one, and {@link #nextTopic} the next topic that it subscribes to.
 * A member has written its metadata itself, so what is wrong there is a {@link #flaw()} of that member and not of the
 * response. The values are valid until the next call or until the buffer is filled again.
 * <pre>
 *  throttleTimeMs   int32
 *  errorCode        int16
 *  generationId     int32
 *  protocolType     nullable string  from 7
 *  protocolName     nullable string           the assignor; not null before 7
 *  leader           string                    its member id
 *  skipAssignment   bool             from 9   true if the leader is to leave the assignment as it is
 *  memberId         string
 *  members          array
 *    memberId       string
 *    instanceId     nullable string
 *    metadata       bytes                     not flexible, of any version:
 *      version      int16
 *      topics       array of string
 *      ...                                    not read from here on
 *    tags
 *  tags
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_JoinGroup">JoinGroup in the protocol guide</a>
 */
public final class JoinGroupResponseFlyweight extends ResponseFlyweight
{
    private static final int MIN_MEMBER_LENGTH = 3;

    private final WireReader topics = new WireReader();
    private int generationId;
    private boolean isAssignmentSkipped;
    private int leaderIndex;
    private int leaderLength;
    private int memberIdIndex;
    private int memberIdLength;
    private int memberCount;
    private int membersLeft;
    private boolean isEnded;
    private int idIndex;
    private int idLength;
    private int instanceIdIndex;
    private int instanceIdLength;
    private String flaw;
    private int topicCount;
    private int topicsLength;
    private int topicsLeft;
    private int topicIndex;
    private int topicLength;

    /** @param index first byte after the correlation id. */
    public JoinGroupResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        membersLeft = 0;
        topicsLeft = 0;
        isEnded = true;
        wrapBody(ApiKey.JOIN_GROUP, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        errorCode = reader.int16(Field.ERROR_CODE);
        generationId = reader.int32(Field.GENERATION_ID);
        if (version >= 7)
        {
            reader.nullableString(Field.PROTOCOL_TYPE);
        }
        reader.nullableString(Field.PROTOCOL_NAME);
        leaderLength = reader.string(Field.LEADER);
        leaderIndex = reader.valueIndex();
        isAssignmentSkipped = version >= 9 && reader.bool(Field.SKIP_ASSIGNMENT);
        memberIdLength = reader.string(Field.MEMBER_ID, WireLimits.MAX_MEMBER_ID_LENGTH);
        memberIdIndex = reader.valueIndex();
        memberCount = reader.arrayCount(Field.MEMBERS, MIN_MEMBER_LENGTH, WireLimits.MAX_MEMBERS);
        membersLeft = memberCount;
        isEnded = false;
        return this;
    }

    /** @return false after the last member; then the end of the response has been read too. */
    public boolean nextMember()
    {
        topicsLeft = 0;
        if (0 == membersLeft)
        {
            if (!isEnded)
            {
                isEnded = true;
                reader.skipTags();
            }
            return false;
        }
        membersLeft--;
        idLength = reader.string(Field.MEMBER_ID, WireLimits.MAX_MEMBER_ID_LENGTH);
        idIndex = reader.valueIndex();
        instanceIdLength = reader.nullableString(Field.GROUP_INSTANCE_ID);
        instanceIdIndex = reader.valueIndex();
        final int metadataLength = Math.max(0, reader.nullableBytes(Field.METADATA));
        final int metadataIndex = reader.valueIndex();
        reader.skipTags();
        readTopics(metadataIndex, metadataIndex + metadataLength);
        return true;
    }

    /** Reads all topics, and then returns to the first. */
    private void readTopics(final int index, final int limit)
    {
        flaw = null;
        topicsLength = 0;
        try
        {
            beginTopics(index, limit);
            while (nextTopic())
            {
                topicsLength += topicLength;
            }
            beginTopics(index, limit);
        }
        catch (final WireFormatException ex)
        {
            flaw = ex.getMessage();
            topicCount = 0;
            topicsLeft = 0;
        }
    }

    private void beginTopics(final int index, final int limit)
    {
        topics.wrap(reader.buffer(), index, limit, false);
        topics.int16(Field.VERSION);
        topicCount = topics.arrayCount(Field.TOPICS, Short.BYTES);
        topicsLeft = topicCount;
    }

    /** @return false after the last topic of the current member. */
    public boolean nextTopic()
    {
        if (0 == topicsLeft)
        {
            return false;
        }
        topicsLeft--;
        topicLength = topics.string(Field.TOPIC);
        topicIndex = topics.valueIndex();
        return true;
    }

    /** -1 with an error. */
    public int generationId()
    {
        return generationId;
    }

    /** True if the leader must send no assignment, because the group keeps its present one; false below version 9. */
    public boolean isAssignmentSkipped()
    {
        return isAssignmentSkipped;
    }

    public int leaderIndex()
    {
        return leaderIndex;
    }

    public int leaderLength()
    {
        return leaderLength;
    }

    /** The index of the id of the member that has sent the request. */
    public int memberIdIndex()
    {
        return memberIdIndex;
    }

    public int memberIdLength()
    {
        return memberIdLength;
    }

    /** 0 unless the member is the leader. */
    public int memberCount()
    {
        return memberCount;
    }

    /** The index of the id of the current member. */
    public int idIndex()
    {
        return idIndex;
    }

    public int idLength()
    {
        return idLength;
    }

    public int instanceIdIndex()
    {
        return instanceIdIndex;
    }

    /** {@link WireReader#NULL_LENGTH} if the current member is a dynamic one. */
    public int instanceIdLength()
    {
        return instanceIdLength;
    }

    /** What is wrong with the metadata of the current member, which has no topics then; null if nothing is. */
    public String flaw()
    {
        return flaw;
    }

    /** How many topics the current member has. */
    public int topicCount()
    {
        return topicCount;
    }

    /** The length of the names of all topics of the current member, in bytes. */
    public int topicsLength()
    {
        return topicsLength;
    }

    /** The index of the name of the current topic. */
    public int topicIndex()
    {
        return topicIndex;
    }

    public int topicLength()
    {
        return topicLength;
    }
}
