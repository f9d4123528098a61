// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireReader;

/**
 * How a response of the coordinator names a topic: by its name in older versions, by its id in newer ones. Valid as
 * long as the flyweight that it belongs to stands in that topic.
 */
public final class AnsweredTopic
{
    private boolean isById;
    private int index;
    private int length;
    private long idMostSignificantBits;
    private long idLeastSignificantBits;
    private DirectBuffer buffer;

    void read(final WireReader reader, final boolean hasId)
    {
        isById = hasId;
        buffer = reader.buffer();
        if (hasId)
        {
            reader.uuid(Field.TOPIC_ID);
            idMostSignificantBits = reader.mostSignificantBits();
            idLeastSignificantBits = reader.leastSignificantBits();
        }
        else
        {
            length = reader.string(Field.NAME);
            index = reader.valueIndex();
        }
    }

    /** Whether there is an id and no name. */
    public boolean isById()
    {
        return isById;
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    public int index()
    {
        return index;
    }

    public int length()
    {
        return length;
    }

    public long idMostSignificantBits()
    {
        return idMostSignificantBits;
    }

    public long idLeastSignificantBits()
    {
        return idLeastSignificantBits;
    }
}
