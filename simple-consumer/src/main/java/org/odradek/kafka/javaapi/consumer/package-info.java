// SPDX-License-Identifier: Apache-2.0
/**
 * The old SimpleConsumer of Kafka 0.8 to 1.1, with its names and signatures, over today's protocol: a program of that
 * time is moved by putting {@code org.odradek.} before the names that begin with {@code kafka.}. Calls block, and
 * every message is an object; who wants neither uses {@link org.odradek.consumer.TopicConsumer}.
 */
package org.odradek.kafka.javaapi.consumer;
