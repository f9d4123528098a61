// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: joins consumer groups, takes and gives up partitions, and commits and fetches offsets. {@code GroupMember}
 * has the state of the membership, and {@code GroupReconciliation} takes and gives up partitions. The requests are
 * those of a {@code MemberProtocol}: {@code ConsumerProtocol} (KIP-848) or {@code ClassicProtocol}.
 */
package org.odradek.consumer.group;
