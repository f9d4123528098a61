// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/** Determines when a broker acknowledges a batch. */
public enum Acks
{
    /**
     * A broker acknowledges a batch when all in-sync replicas have it (acks=all). The publisher is idempotent; {@link
     * Publisher} states what that guarantees.
     */
    ALL,
    /**
     * A broker acknowledges a batch when the leader has it (acks=1). An acknowledged batch may be lost together with
     * its leader, and a batch that is sent again after a failure may be in the log twice.
     */
    LEADER
}
