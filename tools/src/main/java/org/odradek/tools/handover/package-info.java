// SPDX-License-Identifier: Apache-2.0

/**
 * How long partitions of a consumer group stand still when members join, leave and die: ours and those of
 * kafka-clients, each in its own JVM.
 */
package org.odradek.tools.handover;
