// SPDX-License-Identifier: Apache-2.0

/**
 * What the tests of Odradek itself need besides the testkit; it is not published:
 * <ul>
 *   <li>{@link org.odradek.harness.ScriptedPeer}: a server that answers as a test wants.</li>
 *   <li>{@link org.odradek.harness.model.ModelCluster}: a model of a whole cluster, bytes in and bytes out, without
 *   threads; {@link org.odradek.harness.model.ModelPeer} serves it over sockets.</li>
 *   <li>{@link org.odradek.harness.tls.HandmadeTls}: servers whose TLS is wrong on purpose.</li>
 *   <li>{@link org.odradek.harness.fuzz.FuzzTarget}: what the fuzzer runs.</li>
 *   <li>{@link org.odradek.harness.KerberosServer}: a key distribution center.</li>
 *   <li>{@link org.odradek.harness.GitRepository}: a repository of git.</li>
 * </ul>
 */
package org.odradek.harness;
