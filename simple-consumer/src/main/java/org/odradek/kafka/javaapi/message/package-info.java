// SPDX-License-Identifier: Apache-2.0
/**
 * Sets of messages.
 */
package org.odradek.kafka.javaapi.message;
