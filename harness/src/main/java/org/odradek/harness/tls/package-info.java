// SPDX-License-Identifier: Apache-2.0
/**
 * Servers whose TLS is wrong on purpose: TLS 1.2 by hand, TLS 1.3 by the JDK's engine, and certificates that harm what
 * parses them. They work in memory, and on a loopback socket in front of any other server.
 */
package org.odradek.harness.tls;
