// SPDX-License-Identifier: Apache-2.0
/**
 * Requests and responses for Java, as {@code kafka.javaapi} had them.
 */
package org.odradek.kafka.javaapi;
