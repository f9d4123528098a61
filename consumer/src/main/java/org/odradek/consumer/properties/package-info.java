// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: reads Kafka's properties: the keys, their values, variables and logins. The package writes the settings in
 * {@code core}, and may use {@code files}, {@code handler}, {@code net} and {@code security}.
 */
package org.odradek.consumer.properties;
