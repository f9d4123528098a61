// SPDX-License-Identifier: Apache-2.0

/**
 * Cluster upkeep: metadata, leaders, offsets. Uses fetch and net.
 */
package org.odradek.consumer.control;
