// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains a poller and sockets that add TLS to others, the engines of both TLS providers, and the checks of
 * certificates. This package uses {@code security} and {@code core}.
 * <p>
 * Only {@code BoringSsl} calls netty-tcnative, and this class is loaded only if BoringSSL may be used. The JDK's trust
 * manager checks certificates and host names for both providers.
 */
package org.odradek.client.tls;
