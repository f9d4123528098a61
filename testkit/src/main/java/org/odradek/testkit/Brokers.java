// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;

import java.util.Map;
import java.util.function.LongFunction;

/** A broker or a cluster of several brokers, with the operations that tests need. */
public interface Brokers extends AutoCloseable
{
    /** Returns the host:port of every broker, separated by commas. */
    String bootstrapServers();

    /** Returns the client that creates and fills topics. {@link #close()} closes this client. */
    TopicClient client();

    /** Stops all brokers and removes all data. A second call does nothing. */
    @Override
    void close();

    /** See {@link TopicClient#admin()}. */
    default Admin admin()
    {
        return client().admin();
    }

    /** See {@link TopicClient#producer(int, String)}. */
    default Producer<byte[], byte[]> producer(final int lingerMs, final String acks)
    {
        return client().producer(lingerMs, acks);
    }

    /** See {@link TopicClient#createTopic}. */
    default void createTopic(final String topic, final int partitions)
    {
        client().createTopic(topic, partitions, Map.of());
    }

    /** See {@link TopicClient#createTopic}. */
    default void createTopic(final String topic, final int partitions, final Map<String, String> configs)
    {
        client().createTopic(topic, partitions, configs);
    }

    /** See {@link TopicClient#deleteTopic}. */
    default void deleteTopic(final String topic)
    {
        client().deleteTopic(topic);
    }

    /** See {@link TopicClient#produce(String, int, Iterable)}. */
    default void produce(final String topic, final int partition, final Iterable<byte[]> values)
    {
        client().produce(topic, partition, values);
    }

    /** See {@link TopicClient#produce(String, int, long, LongFunction)}. */
    default void produce(final String topic, final int partition, final long count, final LongFunction<byte[]> value)
    {
        client().produce(topic, partition, count, value);
    }
}
