// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: consumer groups: the members of both protocols, the partitions that they take and give up, their
 * coordinator, commits and committed offsets. The package uses {@code cluster} and {@code fetch}.
 */
package org.odradek.consumer.group;
