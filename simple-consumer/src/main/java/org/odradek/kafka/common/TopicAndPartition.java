// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

/**
 * A partition of a topic.
 *
 * @param topic     its name.
 * @param partition from 0.
 */
public record TopicAndPartition(String topic, int partition)
{
    @Override
    public String toString()
    {
        return "[" + topic + "," + partition + "]";
    }
}
