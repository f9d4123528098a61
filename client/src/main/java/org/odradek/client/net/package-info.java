// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets and connections, that is, waiting, connecting, version negotiation, one request and one response at
 * a time, and reconnecting. It uses core.
 */
package org.odradek.client.net;
