// SPDX-License-Identifier: Apache-2.0
/**
 * The addresses of brokers.
 */
package org.odradek.kafka.cluster;
