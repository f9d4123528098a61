// SPDX-License-Identifier: Apache-2.0

/**
 * Contains the types that consumers and publishers have in common and that applications use or implement: pollers and
 * sockets, the name resolver, the events and counters of a client, the reader of counters files, and the exceptions.
 * The settings of TLS and SASL are in {@link org.odradek.client.security}.
 */
package org.odradek.client;
