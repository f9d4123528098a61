// SPDX-License-Identifier: Apache-2.0
/**
 * Where brokers are.
 */
package org.odradek.kafka.cluster;
