// SPDX-License-Identifier: Apache-2.0
/**
 * Names of partitions, offsets of groups, and error codes.
 */
package org.odradek.kafka.common;
