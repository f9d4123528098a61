// SPDX-License-Identifier: Apache-2.0

/**
 * Tools for tests of a Kafka client over real sockets:
 * <ul>
 *   <li>{@link org.odradek.testkit.EmbeddedBroker}: a broker in this JVM;
 *   {@link org.odradek.testkit.BrokerProcess}: a broker in its own JVM, which can be killed;
 *   {@link org.odradek.testkit.BrokerCluster}: several of those. All three implement
 *   {@link org.odradek.testkit.Brokers}, which creates and fills topics.</li>
 *   <li>{@link org.odradek.testkit.TcpProxy}: a network with faults;
 *   {@link org.odradek.testkit.ScriptedPeer}: a server that answers as a test wants;
 *   {@link org.odradek.testkit.ScriptedFaults}: faults by number of request and by partition.</li>
 *   <li>{@link org.odradek.testkit.model.ModelCluster}: a model of a whole cluster, bytes in and bytes out, without
 *   threads; {@link org.odradek.testkit.model.ModelPeer} serves it over sockets.</li>
 *   <li>{@link org.odradek.testkit.JavaProcess}: a child JVM that ends with its parent.</li>
 *   <li>{@link org.odradek.testkit.ThreadUsage} and {@link org.odradek.testkit.AllocationMeter}: CPU time and
 *   allocations of a thread; {@link org.odradek.testkit.Await}: waits for a condition.</li>
 * </ul>
 * The testkit never keeps a JVM from exiting, and removes its processes and files at exit. It uses the broker and the
 * stock clients, and none of the other modules of Odradek.
 */
package org.odradek.testkit;
