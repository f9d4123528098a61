// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireReader;

/**
 * The topic of a partition in a response, given by its name in older versions and by its id in newer ones. Valid until
 * the response moves to another topic.
 */
public final class ResponseTopic
{
    private boolean isById;
    private int index;
    private int length;
    private long idMostSignificantBits;
    private long idLeastSignificantBits;
    private DirectBuffer buffer;

    void read(final WireReader reader, final boolean hasId, final Field nameField)
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
            length = reader.string(nameField);
            index = reader.valueIndex();
        }
    }

    /** True if the topic is given by its id, without a name. */
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
