// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.DirectBuffer;
import org.odradek.protocol.WireBytes;
import org.odradek.protocol.control.AnsweredTopic;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import java.nio.charset.StandardCharsets;

/**
 * The one topic: its name, and its id once metadata has told it.
 */
public final class FetchTopic
{
    private static final int FIRST_VERSION_WITH_ID = 13;

    private final String name;
    private final byte[] nameBytes;
    private long idMostSignificantBits;
    private long idLeastSignificantBits;
    private int changes;

    /**
     * @param name of the topic.
     */
    public FetchTopic(final String name)
    {
        this.name = name;
        nameBytes = name.getBytes(StandardCharsets.UTF_8);
    }

    public String name()
    {
        return name;
    }

    /**
     * Note the id; zero means none.
     *
     * @param mostSignificantBits  of the id.
     * @param leastSignificantBits of the id.
     * @return true if it was another before: the topic has been deleted and created anew.
     */
    public boolean id(final long mostSignificantBits, final long leastSignificantBits)
    {
        if (mostSignificantBits == idMostSignificantBits && leastSignificantBits == idLeastSignificantBits)
        {
            return false;
        }
        final boolean hadId = hasId();
        idMostSignificantBits = mostSignificantBits;
        idLeastSignificantBits = leastSignificantBits;
        changes++;
        return hadId;
    }

    public boolean hasId()
    {
        return (idMostSignificantBits | idLeastSignificantBits) != 0;
    }

    public long idMostSignificantBits()
    {
        return idMostSignificantBits;
    }

    public long idLeastSignificantBits()
    {
        return idLeastSignificantBits;
    }

    /**
     * How often the id has changed.
     */
    int changes()
    {
        return changes;
    }

    /**
     * The version of Fetch to use of those that both sides speak: without an id none that names the topic by it.
     */
    int fetchVersion(final int commonVersion)
    {
        return hasId() ? commonVersion : Math.min(commonVersion, FIRST_VERSION_WITH_ID - 1);
    }

    boolean isNamedIn(final FetchResponseFlyweight response, final int version)
    {
        if (version >= FIRST_VERSION_WITH_ID)
        {
            return response.topicIdMostSignificantBits() == idMostSignificantBits &&
                response.topicIdLeastSignificantBits() == idLeastSignificantBits;
        }
        return isName(response.buffer(), response.topicIndex(), response.topicLength());
    }

    /**
     * Whether it is what a response is about.
     *
     * @param answered topic of the response.
     * @return true if it is.
     */
    public boolean isAnswered(final AnsweredTopic answered)
    {
        return answered.isById() ?
            answered.idMostSignificantBits() == idMostSignificantBits &&
                answered.idLeastSignificantBits() == idLeastSignificantBits :
            isName(answered.buffer(), answered.index(), answered.length());
    }

    /**
     * Whether bytes are the name.
     *
     * @param buffer that holds them.
     * @param index  of the first.
     * @param length in bytes.
     * @return true if they are.
     */
    public boolean isName(final DirectBuffer buffer, final int index, final int length)
    {
        return WireBytes.areEqual(buffer, index, length, nameBytes);
    }
}
