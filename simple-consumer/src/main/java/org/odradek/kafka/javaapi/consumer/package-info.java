// SPDX-License-Identifier: Apache-2.0

/**
 * The SimpleConsumer of Kafka 0.8 to 1.1, with its names and signatures. To run an old program, put {@code
 * org.odradek.} before the names that begin with {@code kafka.}.
 */
package org.odradek.kafka.javaapi.consumer;
