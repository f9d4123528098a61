// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: consumer groups: the members of both protocols, the partitions that they take and give up, their
 * coordinator, commits and committed offsets. The package uses {@code cluster} and {@code fetch}.
 * <p>
 * A member of a group ({@code GroupMember}) holds the answers of the coordinator and the owned partitions, and allows
 * delivery until a heartbeat is overdue. {@code GroupReconciliation}, above it, takes partitions and gives them up:
 * stop, ask the application, commit, acknowledge, take. The requests are those of a {@code MemberProtocol}: {@code
 * ConsumerProtocol} (KIP-848) or {@code ClassicProtocol}. After any failure the next heartbeat of KIP-848 holds
 * everything. Heartbeats run on the time of the clock, not on polled time. No batch is begun when the last confirmed
 * heartbeat is too old.
 * <p>
 * While anything that was delivered is not acknowledged, no offset after it is committed ({@code
 * AcknowledgedOffsets}), nor is that of a seek. An acknowledgement is one ordered store, so the polling thread may
 * miss one that is stored while it begins to wait: it reads again
 * once, 10 ms later; after that, the wake-up of a new acknowledgement shows it.
 * <p>
 * Callbacks for the partitions of a member follow one another until 100 ms after the cycle began, and one is called in
 * any case. If others are due, that cycle sends what is due and ends without a delivery. The next cycle continues from
 * the states of partitions, never from an index of a loop: {@code GroupReconciliation} changes the state first. A
 * partition whose assigned event is still to come is held ({@code PartitionTable.hold}), one whose lost event is still
 * to come is not taken, and a member that was removed joins again after the last of these events.
 */
package org.odradek.consumer.group;
