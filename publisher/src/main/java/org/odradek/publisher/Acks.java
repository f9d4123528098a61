// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/** When a broker acknowledges a batch, and what its publisher can promise because of that. */
public enum Acks
{
    /**
     * When all replicas that are in sync have it (acks=all). The publisher is idempotent: within its life no batch is
     * in the log twice, and the records of a partition are in the order in which they were accepted.
     */
    ALL,
    /**
     * When the leader has it (acks=1). A batch that is acknowledged may be lost with its leader, and one that is sent
     * again after a failure may be in the log twice.
     */
    LEADER
}
