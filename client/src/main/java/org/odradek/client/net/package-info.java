// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: contains pollers, sockets and connections to brokers. This package uses {@code core} and {@code security}.
 */
package org.odradek.client.net;
