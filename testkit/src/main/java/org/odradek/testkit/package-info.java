// SPDX-License-Identifier: Apache-2.0

/**
 * Tools for tests of a Kafka client over real sockets:
 * <ul>
 *   <li>{@link org.odradek.testkit.EmbeddedBroker}: a broker in this JVM;
 *   {@link org.odradek.testkit.BrokerProcess}: a broker in its own JVM, which can be killed;
 *   {@link org.odradek.testkit.BrokerCluster}: several of those. All three implement
 *   {@link org.odradek.testkit.Brokers}, which creates and fills topics through a
 *   {@link org.odradek.testkit.TopicClient}.</li>
 *   <li>{@link org.odradek.testkit.BrokerSettings}: how a broker differs from the small default, also with TLS and
 *   SASL, whose clients {@link org.odradek.testkit.BrokerSecurity} equips.</li>
 *   <li>{@link org.odradek.testkit.TcpProxy}: a network with faults.</li>
 *   <li>{@link org.odradek.testkit.AllocationMeter}: the bytes that a thread allocates;
 *   {@link org.odradek.testkit.Await}: waits for a condition.</li>
 * </ul>
 * The testkit never keeps a JVM from exiting, and removes its processes and files at exit. It uses the broker and the
 * stock clients, and none of the other modules of Odradek.
 */
package org.odradek.testkit;
