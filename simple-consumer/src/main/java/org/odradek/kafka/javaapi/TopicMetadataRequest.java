// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import java.util.List;

/**
 * Asks where the leaders of topics are. Unlike the old one it never creates a topic.
 *
 * @param topics        names; none asks for all.
 * @param correlationId not sent.
 */
public record TopicMetadataRequest(List<String> topics, int correlationId)
{
    public TopicMetadataRequest(final List<String> topics)
    {
        this(topics, 0);
    }
}
