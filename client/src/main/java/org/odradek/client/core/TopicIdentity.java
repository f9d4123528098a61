// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.DirectBuffer;
import org.odradek.protocol.WireBytes;
import org.odradek.protocol.control.ResponseTopic;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import java.nio.charset.StandardCharsets;

/** Holds the name of a topic, and its id once a metadata response has contained the id. */
public final class TopicIdentity
{
    /** From this version on, Fetch names topics by their id (KIP-516). */
    public static final int FIRST_VERSION_WITH_ID = 13;

    private final String name;
    private final byte[] encodedName;
    private long idMostSignificantBits;
    private long idLeastSignificantBits;
    /** Holds the id of the topic before it was created again; zero if there is none. */
    private long replacedIdMostSignificantBits;
    private long replacedIdLeastSignificantBits;
    private int changes;
    private int recreations;
    private boolean isInDoubt;
    private long inDoubtSinceNs;
    private long lastDoubtNs;

    public TopicIdentity(final String name)
    {
        this.name = name;
        encodedName = name.getBytes(StandardCharsets.UTF_8);
    }

    public String name()
    {
        return name;
    }

    /** Returns the name in UTF-8, in an array that callers must not change. */
    public byte[] encodedName()
    {
        return encodedName;
    }

    /**
     * An id of zero changes nothing, because a broker that does not know the id sends zero.
     *
     * @return true if the id has changed.
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

    /** Returns true if the topic had this id before the current id. */
    public boolean isReplaced(final long mostSignificantBits, final long leastSignificantBits)
    {
        return (mostSignificantBits | leastSignificantBits) != 0 &&
            mostSignificantBits == replacedIdMostSignificantBits &&
            leastSignificantBits == replacedIdLeastSignificantBits;
    }

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

    /** Returns how many times the id was set or has changed. */
    public int changes()
    {
        return changes;
    }

    public int recreations()
    {
        return recreations;
    }

    public void doubt(final long nowNs)
    {
        inDoubtSinceNs = isInDoubt ? inDoubtSinceNs : nowNs;
        lastDoubtNs = nowNs;
        isInDoubt = true;
    }

    public void confirm()
    {
        isInDoubt = false;
    }

    /**
     * Returns true if a broker has answered that it does not know the topic, and metadata has not contained it since.
     */
    public boolean isInDoubt()
    {
        return isInDoubt;
    }

    public long inDoubtSinceNs()
    {
        return inDoubtSinceNs;
    }

    /** Returns the time in nanoseconds from the first answer that put the topic in doubt to the last; 0 without one. */
    public long unknownNs()
    {
        return isInDoubt ? lastDoubtNs - inDoubtSinceNs : 0;
    }

    /** Returns the version to use for a request: while the id is unknown, a version that names topics by their name. */
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

    public boolean isAnswered(final ResponseTopic answered)
    {
        return answered.isById() ?
            answered.idMostSignificantBits() == idMostSignificantBits &&
                answered.idLeastSignificantBits() == idLeastSignificantBits :
            isName(answered.buffer(), answered.index(), answered.length());
    }

    public boolean isName(final DirectBuffer buffer, final int index, final int length)
    {
        return WireBytes.areEqual(buffer, index, length, encodedName);
    }

    private boolean isConsistent()
    {
        // A known id is not forgotten.
        return hasId() == changes > 0 &&
            // Every change but the first one means that the topic was created again.
            recreations == Math.max(0, changes - 1) &&
            // The id of the topic differs from its id before it was created again.
            !isReplaced(idMostSignificantBits, idLeastSignificantBits);
    }
}
