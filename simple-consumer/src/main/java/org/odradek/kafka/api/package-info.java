// SPDX-License-Identifier: Apache-2.0
/**
 * The requests of {@code kafka.api}.
 */
package org.odradek.kafka.api;
