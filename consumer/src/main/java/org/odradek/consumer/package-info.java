// SPDX-License-Identifier: Apache-2.0

/**
 * Contains the consumer and its settings. A {@link org.odradek.consumer.TopicConsumer} reads a topic with the settings
 * of a {@link org.odradek.consumer.ConsumerContext}, on the thread that polls it:
 * <pre>{@code
 * final ConsumerContext context = new ConsumerContext().bootstrapServers("localhost:9092").topic("metrics");
 * try (TopicConsumer consumer = TopicConsumer.connect(context))
 * {
 *     while (isRunning)
 *     {
 *         consumer.poll((record) -> process(record), 1_000, timeoutNs);
 *     }
 * }
 * }</pre>
 * {@link org.odradek.consumer.GroupSettings} make the consumer a member of a consumer group. A {@link
 * org.odradek.consumer.StartPosition} determines where the consumer begins to read a partition, unless its group has
 * committed an offset of the partition. The interfaces that a program implements, such as handlers and listeners, are
 * in {@link org.odradek.consumer.handler}; TLS and SASL are in {@link org.odradek.client.security}.
 */
package org.odradek.consumer;
