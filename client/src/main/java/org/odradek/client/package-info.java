// SPDX-License-Identifier: Apache-2.0

/**
 * What users of every client implement or read: pollers and sockets, the name resolver, the events and counters of
 * connections, and the exceptions. It uses {@code files} and {@code metrics} only; the settings of TLS and SASL are in
 * {@link org.odradek.client.security}.
 */
package org.odradek.client;
