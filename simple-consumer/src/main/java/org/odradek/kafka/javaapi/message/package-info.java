// SPDX-License-Identifier: Apache-2.0
/**
 * Message sets.
 */
package org.odradek.kafka.javaapi.message;
