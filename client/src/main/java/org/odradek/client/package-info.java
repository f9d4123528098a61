// SPDX-License-Identifier: Apache-2.0

/**
 * The types that consumers and publishers have in common and that applications implement or read: pollers and sockets,
 * the name resolver, the events and counters of connections, and the exceptions. The settings of TLS and SASL are in
 * {@link org.odradek.client.security}.
 */
package org.odradek.client;
