// SPDX-License-Identifier: Apache-2.0

/**
 * Contains the settings of encryption and authentication, the stores of certificates and keys, and the SASL mechanisms
 * that authenticate the client.
 */
package org.odradek.client.security;
