// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains sockets and connections: waiting, connecting, version negotiation, authentication, requests and
 * responses, and reconnecting. This package uses {@code core} and {@code security}.
 * <p>
 * The timeout of a request is measured in real time. Connect timeouts and the rebootstrap use polling time ({@code
 * DutyClock}).
 */
package org.odradek.client.net;
