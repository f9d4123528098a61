// SPDX-License-Identifier: Apache-2.0
/**
 * Requests, as {@code kafka.api} had them.
 */
package org.odradek.kafka.api;
