// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: TLS. This package contains a poller and sockets that wrap others, the engines of both providers, and the
 * checks of certificates. It uses {@code protocol}, {@code security} and {@code core}.
 * <p>
 * A {@code TlsSocket}, which a {@code TlsPoller} opens, wraps another socket, so code that uses sockets is the same
 * with and without TLS. Only {@code BoringSsl} calls netty-tcnative, and this class is loaded only if BoringSSL may be
 * used. The JDK's trust manager checks certificates and host names for both providers. Bytes are delivered only after
 * their record was authenticated. A failed handshake never lowers the version of ApiVersions, because the socket is not
 * connected before the end of the handshake. BoringSSL offers SHA-1 in handshakes of TLS 1.2, so {@code
 * HandshakeSignatureCheck} reads the received bytes before BoringSSL does. {@code RefusedKeys} contains the brokers for
 * which the JDK's TLS is used although BoringSSL is in use.
 */
package org.odradek.client.tls;
