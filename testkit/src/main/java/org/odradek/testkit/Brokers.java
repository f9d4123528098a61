// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;

import java.util.Map;
import java.util.function.LongFunction;

/**
 * A running broker, or several that make one cluster, and what a test does with them.
 */
public interface Brokers extends AutoCloseable
{
    /**
     * @return host and port of every broker, separated by commas.
     */
    String bootstrapServers();

    /**
     * @return the clients through which topics are made and filled; closed with the brokers.
     */
    TopicClient client();

    /**
     * Stops everything and removes all data. Calling it again does nothing.
     */
    @Override
    void close();

    /**
     * @return an admin client, closed with the brokers.
     */
    default Admin admin()
    {
        return client().admin();
    }

    /**
     * @param lingerMs how long a record may wait for others to fill a batch.
     * @param acks     0, 1 or all.
     * @return a producer of bytes, closed by the caller.
     */
    default Producer<byte[], byte[]> producer(final int lingerMs, final String acks)
    {
        return client().producer(lingerMs, acks);
    }

    /**
     * Returns when every partition has a leader. Every broker holds every partition.
     *
     * @param topic      name of the topic.
     * @param partitions how many.
     */
    default void createTopic(final String topic, final int partitions)
    {
        client().createTopic(topic, partitions, Map.of());
    }

    /**
     * Returns when every partition has a leader. Every broker holds every partition.
     *
     * @param topic      name of the topic.
     * @param partitions how many.
     * @param configs    of the topic.
     */
    default void createTopic(final String topic, final int partitions, final Map<String, String> configs)
    {
        client().createTopic(topic, partitions, configs);
    }

    /**
     * Returns when no broker lists it any more.
     *
     * @param topic name of the topic.
     */
    default void deleteTopic(final String topic)
    {
        client().deleteTopic(topic);
    }

    /**
     * Appends values without keys, in large batches; returns when all were acknowledged.
     *
     * @param topic     to append to.
     * @param partition to append to.
     * @param values    in order.
     */
    default void produce(final String topic, final int partition, final Iterable<byte[]> values)
    {
        client().produce(topic, partition, values);
    }

    /**
     * Appends values without keys, in large batches; returns when all were acknowledged.
     *
     * @param topic     to append to.
     * @param partition to append to.
     * @param count     how many values.
     * @param value     gives the value for each number from 0. It may return the same array each time, but must not
     *                  change one it has returned.
     */
    default void produce(final String topic, final int partition, final long count, final LongFunction<byte[]> value)
    {
        client().produce(topic, partition, count, value);
    }
}
