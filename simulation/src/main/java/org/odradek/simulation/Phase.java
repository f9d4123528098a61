// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/** The phases of one round of a run, in their order. A run has several rounds. */
enum Phase
{
    /** Records are appended and faults occur. */
    FAULTS,
    /** No new fault occurs, and those of before have been repaired. Ends when the consumer has caught up. */
    SETTLING,
    /** Records are appended to a healthy cluster. */
    FLOWING,
    /** Nothing is appended. */
    IDLE
}
