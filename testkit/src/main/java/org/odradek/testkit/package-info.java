// SPDX-License-Identifier: Apache-2.0

/**
 * What tests of a Kafka client need, over real sockets:
 * <ul>
 *   <li>{@link org.odradek.testkit.EmbeddedBroker}: a broker in this JVM, in one call;
 *   {@link org.odradek.testkit.BrokerProcess}: one in a JVM of its own, which can be killed;
 *   {@link org.odradek.testkit.BrokerCluster}: several of those. All three are
 *   {@link org.odradek.testkit.Brokers}, with topics to make and fill.</li>
 *   <li>{@link org.odradek.testkit.TcpProxy}: a network with faults;
 *   {@link org.odradek.testkit.ScriptedPeer}: a server that says what the test tells it to, and
 *   {@link org.odradek.testkit.ScriptedFaults}: faults by request count and by partition.</li>
 *   <li>{@link org.odradek.testkit.JavaProcess}: a child JVM that ends with its parent.</li>
 *   <li>{@link org.odradek.testkit.ThreadUsage} and {@link org.odradek.testkit.AllocationMeter}: what a thread uses,
 *   and whether it allocates; {@link org.odradek.testkit.Await}: a condition instead of a sleep.</li>
 * </ul>
 * Nothing here keeps a JVM from exiting, and what was started or written goes when it exits. Uses the broker and the
 * stock clients; knows nothing of Odradek's other modules.
 */
package org.odradek.testkit;
