// SPDX-License-Identifier: Apache-2.0

/**
 * Encryption and authentication: the settings, the stores of certificates and keys, and the SASL mechanisms that
 * authenticate the client. The package does not depend on sockets; the packages {@code net} and {@code tls} use it.
 */
package org.odradek.client.security;
