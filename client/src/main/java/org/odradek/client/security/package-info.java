// SPDX-License-Identifier: Apache-2.0

/**
 * Encryption and authentication: the settings, the stores of certificates and keys, and the mechanisms that prove who
 * the client is. The package knows nothing of sockets; {@code net} and {@code tls} use it.
 */
package org.odradek.client.security;
