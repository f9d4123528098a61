// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: fetches records and delivers them to the handler. {@code PartitionTable} implements the interface to which
 * {@code cluster} reports leaders.
 */
package org.odradek.consumer.fetch;
