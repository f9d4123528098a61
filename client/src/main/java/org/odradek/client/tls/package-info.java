// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: everything about TLS. A poller and sockets around others, the engines of both providers, the check of
 * certificates, and what the stores of the settings hold. It uses protocol, security and core.
 */
package org.odradek.client.tls;
