// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets and connections. This includes waiting, connecting, version negotiation, authentication, requests
 * and responses, and reconnecting. The package uses {@code core}.
 */
package org.odradek.client.net;
