// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: consumer groups: the members of both protocols, the partitions that they take and give up, their
 * coordinator, commits and committed offsets. The package uses {@code cluster} and {@code fetch}.
 * <p>
 * A member of a group ({@code GroupMember}) holds the answers of the coordinator and the owned partitions, and allows
 * delivery until a heartbeat is overdue. {@code GroupReconciliation} takes and gives up partitions. To give up a
 * partition, {@code GroupReconciliation} stops delivery, calls the revocation handler and commits the offset; the next
 * heartbeat then acknowledges the change to the coordinator. The requests are those of a {@code MemberProtocol}: {@code
 * ConsumerProtocol} (KIP-848) or {@code ClassicProtocol}. After any failure the next heartbeat of KIP-848 contains all
 * fields. Heartbeats are due by the time of the clock, not by polling time. When the clock is read and the last
 * confirmed heartbeat is too old, delivery stops.
 * <p>
 * With the policy {@code acknowledged}, no offset after a delivered record is committed before the record is
 * acknowledged ({@code AcknowledgedOffsets}), not even the offset of a seek. An acknowledgement is one ordered store,
 * so the polling thread may miss an acknowledgement that is stored while the thread begins to wait. The thread
 * therefore reads the acknowledgements again once, 10 ms later; a later acknowledgement of the awaited offset wakes the
 * thread.
 * <p>
 * If callbacks for partitions of a member are due, each cycle calls at least one of them, and begins no further
 * callback 100 ms after the cycle began. If callbacks are left, the cycle sends the requests that are due and ends
 * without a delivery. The next cycle finds these callbacks by the states of the partitions, because {@code
 * GroupReconciliation} changes a state before it calls the callback. A partition is held ({@code PartitionTable.hold})
 * until its assigned event, and is not taken again before its lost event. A member that was removed joins again after
 * all lost events.
 */
package org.odradek.consumer.group;
