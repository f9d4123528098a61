/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
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
