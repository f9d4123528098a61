// SPDX-License-Identifier: Apache-2.0

/**
 * The SimpleConsumer of Kafka 0.8 to 1.1, with its names and signatures, on today's protocol. To run an old program,
 * put {@code org.odradek.} before the names that begin with {@code kafka.}. Calls block and each message is an object;
 * {@code TopicConsumer} does not block and creates no objects.
 */
package org.odradek.kafka.javaapi.consumer;
