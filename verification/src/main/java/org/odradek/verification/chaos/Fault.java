// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.Random;

/**
 * Strikes with one kind of fault.
 *
 * @param <T> what it strikes.
 */
@FunctionalInterface
interface Fault<T>
{
    /**
     * Returns after the fault has had its effect. {@link ChaosCluster#heal} repairs what stays broken.
     *
     * @param random of this fault.
     * @return a few words on what was done.
     */
    String strike(T struck, Random random);
}
