// SPDX-License-Identifier: Apache-2.0

/** Internal: joins consumer groups, takes and gives up partitions, and commits and fetches offsets. */
package org.odradek.consumer.group;
