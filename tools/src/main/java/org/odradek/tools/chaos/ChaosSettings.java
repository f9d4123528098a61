// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

/**
 * What a run is asked to do.
 *
 * @param minutes        after each kind of fault has come once, faults go on until so many minutes are over.
 * @param seed           of the plan: the same seed gives the same faults in the same order.
 * @param rate           records written a second.
 * @param partitionCount of the topic at its start.
 * @param sabotage       of the run itself.
 */
record ChaosSettings(int minutes, long seed, int rate, int partitionCount, Sabotage sabotage)
{
}
