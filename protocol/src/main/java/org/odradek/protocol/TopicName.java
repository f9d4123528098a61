// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

/** What Kafka accepts as the name of a topic. */
public final class TopicName
{
    /** In characters, which are all ASCII. */
    public static final int MAX_LENGTH = 249;

    private static final String PATTERN = "[a-zA-Z0-9._-]{1," + MAX_LENGTH + "}";

    private TopicName()
    {
    }

    /** @throws IllegalArgumentException if this cannot be the name of a topic. */
    public static void check(final String topic)
    {
        if (topic == null || !topic.matches(PATTERN) || ".".equals(topic) || "..".equals(topic))
        {
            throw new IllegalArgumentException((topic == null ? "topic is not set" : "topic is '" + topic + "'") +
                ": it must have 1 to " + MAX_LENGTH +
                " letters, digits, dots, underscores or dashes");
        }
    }
}
