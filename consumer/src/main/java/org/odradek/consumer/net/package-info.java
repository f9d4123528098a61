// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: sockets and connections, that is, waiting, connecting, version negotiation, one request and one response at
 * a time, and reconnecting; and what all parts of a consumer share. It may use protocol, handler and status.
 */
package org.odradek.consumer.net;
