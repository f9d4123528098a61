// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: Kafka's properties: the keys, their values, variables and logins. It writes the settings in core, and may
 * use files, handler, net and security.
 */
package org.odradek.consumer.properties;
