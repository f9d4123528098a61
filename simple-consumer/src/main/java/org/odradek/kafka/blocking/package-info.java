// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: a connection that sends one request at a time and waits for its response, for artifacts that read nothing
 * continuously, such as Kafka's SimpleConsumer. Nothing else of the consumer uses it. It uses {@code net} and {@code
 * tls}.
 */
package org.odradek.kafka.blocking;
