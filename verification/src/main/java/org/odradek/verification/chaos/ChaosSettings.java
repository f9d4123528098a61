// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

/**
 * The settings of a chaos run.
 *
 * @param minutes        how long faults go on after each kind has struck once.
 * @param seed           of the plan: the same seed gives the same faults in the same order.
 * @param rate           records written per second.
 * @param partitionCount of the topic at its start.
 * @param sabotage       of the run itself.
 * @param isSecure       whether our consumer connects with TLS and SASL, whose faults strike, too.
 */
record ChaosSettings(int minutes, long seed, int rate, int partitionCount, Sabotage sabotage, boolean isSecure)
{
    /**
     * A wrong report of the run itself, which its verdict must find.
     */
    enum Sabotage
    {
        /** No wrong report. */
        NONE,
        /** One record is never reported to the ledger. */
        DROP,
        /** One record is reported to the ledger twice. */
        REPEAT
    }
}
