// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains a poller and sockets that add TLS to others, the engines of both TLS providers, and the checks of
 * certificates. This package uses {@code security} and {@code core}.
 */
package org.odradek.client.tls;
