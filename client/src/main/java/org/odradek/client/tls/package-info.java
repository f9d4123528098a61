// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: TLS. This package contains a poller and sockets that wrap others, the engines of both providers, and the
 * checks of certificates. It uses {@code protocol}, {@code security} and {@code core}.
 * <p>
 * TLS is one more socket ({@code TlsPoller}, {@code TlsSocket}) around another, so nothing above it differs. All calls
 * of netty-tcnative are in {@code BoringSsl}, which is linked only when it is loaded; the JDK's trust manager checks
 * certificates and host names for both providers. Bytes are delivered only after their record was authenticated. A
 * failure before the first byte never lowers the version of ApiVersions. BoringSSL offers SHA-1 in handshakes of TLS
 * 1.2, so {@code HandshakeSignatureCheck} reads the received bytes before it takes them. {@code RefusedKeys} knows the
 * brokers for which the JDK's TLS is used although BoringSSL is in use.
 */
package org.odradek.client.tls;
