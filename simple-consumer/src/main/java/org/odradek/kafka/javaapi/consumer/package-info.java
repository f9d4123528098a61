// SPDX-License-Identifier: Apache-2.0

/**
 * The SimpleConsumer of Kafka 0.8 to 1.1, with its names and signatures, on today's protocol. An old program runs after
 * {@code org.odradek.} has been put before the names that begin with {@code kafka.}. Calls block and each message is an
 * object; {@link org.odradek.consumer.TopicConsumer} has neither property.
 */
package org.odradek.kafka.javaapi.consumer;
