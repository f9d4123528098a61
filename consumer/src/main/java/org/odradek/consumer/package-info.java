// SPDX-License-Identifier: Apache-2.0

/**
 * The consumer and its settings. A {@link org.odradek.consumer.ConsumerContext} has the settings. {@link
 * org.odradek.consumer.TopicConsumer} reads a topic with them, on the thread that polls it:
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
 * {@link org.odradek.consumer.GroupSettings} make it a member of a consumer group, and {@link
 * org.odradek.consumer.StartPosition} says where it begins to read. What a program implements, such as handlers and
 * listeners, is in {@link org.odradek.consumer.handler}; TLS and SASL are in {@link org.odradek.client.security}.
 */
package org.odradek.consumer;
