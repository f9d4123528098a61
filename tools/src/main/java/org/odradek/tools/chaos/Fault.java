// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.Random;

/**
 * One kind of fault. It returns when the fault has shown its effect, so that to return is to have happened; what it
 * broke for longer is put right by {@link ChaosCluster#heal}. All while records are written and read.
 */
@FunctionalInterface
interface Fault
{
    /**
     * Strikes.
     *
     * @param cluster to strike.
     * @param topic   whose reading is judged.
     * @param random  of the plan.
     * @return in a few words what was done.
     */
    String strike(ChaosCluster cluster, ChaosTopic topic, Random random);
}
