// SPDX-License-Identifier: Apache-2.0
/**
 * The requests and responses of {@code kafka.javaapi}.
 */
package org.odradek.kafka.javaapi;
