// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.DirectBuffer;
import org.odradek.protocol.WireBytes;
import org.odradek.protocol.control.ResponseTopic;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import java.nio.charset.StandardCharsets;

/**
 * The topic that is fetched: its name, and its id once metadata has brought it.
 */
public final class TopicIdentity
{
    /** Of Fetch. */
    public static final int FIRST_VERSION_WITH_ID = 13;

    private final String name;
    private final byte[] encodedName;
    private long idMostSignificantBits;
    private long idLeastSignificantBits;
    /** That of the topic before it was created again. */
    private long replacedIdMostSignificantBits;
    private long replacedIdLeastSignificantBits;
    private int changes;
    private int recreations;
    private boolean isInDoubt;
    private long inDoubtSinceNs;

    /** @param name of the topic. */
    public TopicIdentity(final String name)
    {
        this.name = name;
        encodedName = name.getBytes(StandardCharsets.UTF_8);
    }

    public String name()
    {
        return name;
    }

    /** The name in UTF-8. Callers must not change the bytes. */
    public byte[] encodedName()
    {
        return encodedName;
    }

    /**
     * Sets the id. Zero changes nothing: a broker that names the topic without its id does not know the id.
     *
     * @param mostSignificantBits  of the id.
     * @param leastSignificantBits of the id.
     * @return true if the id has changed. If there was one before, the topic has been deleted and created again.
     */
    public boolean id(final long mostSignificantBits, final long leastSignificantBits)
    {
        final boolean isKnown = (mostSignificantBits | leastSignificantBits) != 0;
        if (!isKnown || mostSignificantBits == idMostSignificantBits && leastSignificantBits == idLeastSignificantBits)
        {
            return false;
        }
        recreations += hasId() ? 1 : 0;
        replacedIdMostSignificantBits = idMostSignificantBits;
        replacedIdLeastSignificantBits = idLeastSignificantBits;
        idMostSignificantBits = mostSignificantBits;
        idLeastSignificantBits = leastSignificantBits;
        changes++;
        assert isConsistent();
        return true;
    }

    /** Whether the topic had this id before it was created again, so that the metadata with it is old. */
    public boolean isReplaced(final long mostSignificantBits, final long leastSignificantBits)
    {
        return (mostSignificantBits | leastSignificantBits) != 0 &&
            mostSignificantBits == replacedIdMostSignificantBits &&
            leastSignificantBits == replacedIdLeastSignificantBits;
    }

    /** The id that the topic had before counts again: brokers name no other one. */
    public void forgetReplaced()
    {
        replacedIdMostSignificantBits = 0;
        replacedIdLeastSignificantBits = 0;
        assert isConsistent();
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

    /** The number of changes of the id. */
    public int changes()
    {
        return changes;
    }

    /** How often the topic was deleted and created again. */
    public int recreations()
    {
        return recreations;
    }

    /** Brokers have answered that they do not know the topic: it may be created again. */
    public void doubt(final long nowNs)
    {
        inDoubtSinceNs = isInDoubt ? inDoubtSinceNs : nowNs;
        isInDoubt = true;
    }

    /** Metadata has named the topic. */
    public void confirm()
    {
        isInDoubt = false;
    }

    /** Whether brokers have answered that they do not know the topic, and metadata has not named it since. */
    public boolean isInDoubt()
    {
        return isInDoubt;
    }

    public long inDoubtSinceNs()
    {
        return inDoubtSinceNs;
    }

    /** The version of a request to use: without an id, at most the last version that names topics by name. */
    public int version(final int commonVersion, final int firstVersionWithId)
    {
        return hasId() ? commonVersion : Math.min(commonVersion, firstVersionWithId - 1);
    }

    public boolean isNamedIn(final FetchResponseFlyweight response, final int version)
    {
        if (version >= FIRST_VERSION_WITH_ID)
        {
            return response.topicIdMostSignificantBits() == idMostSignificantBits &&
                response.topicIdLeastSignificantBits() == idLeastSignificantBits;
        }
        return isName(response.buffer(), response.topicIndex(), response.topicLength());
    }

    /** Returns true if a topic in a response is this one. */
    public boolean isAnswered(final ResponseTopic answered)
    {
        return answered.isById() ?
            answered.idMostSignificantBits() == idMostSignificantBits &&
                answered.idLeastSignificantBits() == idLeastSignificantBits :
            isName(answered.buffer(), answered.index(), answered.length());
    }

    /** Returns true if bytes of a buffer are the name of this topic. */
    public boolean isName(final DirectBuffer buffer, final int index, final int length)
    {
        return WireBytes.areEqual(buffer, index, length, encodedName);
    }

    private boolean isConsistent()
    {
        // An id that is known is not forgotten.
        return hasId() == changes > 0 &&
            // Every change but the first one means that the topic was created again.
            recreations == Math.max(0, changes - 1) &&
            // The id of the topic is not that of the one before.
            !isReplaced(idMostSignificantBits, idLeastSignificantBits);
    }
}
