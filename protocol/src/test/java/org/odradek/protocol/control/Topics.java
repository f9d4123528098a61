// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.apache.kafka.common.Uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Compares the topic of a response with the one that kafka-clients wrote. */
final class Topics
{
    private Topics()
    {
    }

    static void assertIs(final String name, final Uuid id, final boolean isById, final ResponseTopic topic)
    {
        assertEquals(isById, topic.isById());
        if (isById)
        {
            assertEquals(id, new Uuid(topic.idMostSignificantBits(), topic.idLeastSignificantBits()));
        }
        else
        {
            assertEquals(name, topic.buffer().getStringWithoutLengthUtf8(topic.index(), topic.length()));
        }
    }

    static void append(final ResponseTopic topic, final StringBuilder values)
    {
        if (topic.isById())
        {
            values.append(topic.idMostSignificantBits()).append('-').append(topic.idLeastSignificantBits());
        }
        else
        {
            values.append(topic.buffer().getStringWithoutLengthUtf8(topic.index(), topic.length()));
        }
    }
}
