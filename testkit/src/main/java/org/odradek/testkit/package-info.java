// SPDX-License-Identifier: Apache-2.0

/**
 * Tools for tests of a Kafka client over real sockets:
 * <ul>
 *   <li>{@link org.odradek.testkit.EmbeddedBroker}: a broker in this JVM; {@link org.odradek.testkit.BrokerProcess}: a
 *   broker in its own JVM, which can be killed; {@link org.odradek.testkit.BrokerCluster}: several such brokers. All
 *   three implement {@link org.odradek.testkit.Brokers}, which creates and fills topics through a
 *   {@link org.odradek.testkit.TopicClient}.</li>
 *   <li>{@link org.odradek.testkit.BrokerSettings}: the settings of a broker, also with TLS and SASL; {@link
 *   org.odradek.testkit.BrokerSecurity} has the certificates and users for its clients.</li>
 *   <li>{@link org.odradek.testkit.TcpProxy}: a proxy that causes faults of the network.</li>
 *   <li>{@link org.odradek.testkit.AllocationMeter}: counts the bytes that a thread allocates; {@link
 *   org.odradek.testkit.Await}: waits for a condition.</li>
 * </ul>
 * The testkit ends its processes and removes its files when the JVM exits. The testkit uses Kafka's broker and Kafka's
 * own clients, but none of the other modules of Odradek.
 */
package org.odradek.testkit;
