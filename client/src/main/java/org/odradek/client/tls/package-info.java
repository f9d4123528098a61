// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: TLS. This package contains a poller and sockets that wrap others, the engines of both providers, and the
 * checks of certificates. It uses {@code protocol}, {@code security} and {@code core}.
 */
package org.odradek.client.tls;
