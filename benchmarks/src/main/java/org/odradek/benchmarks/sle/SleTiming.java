// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

/**
 * How often clients take turns, and how long they run before anything is kept of it.
 *
 * @param rounds               turns of each client, all levels in each.
 * @param firstPracticeSeconds before the first turn of all: brokers and producers are cold as well.
 * @param practiceSeconds      before each other turn, at the first rate.
 * @param warmUpSeconds        of each rate, before its window.
 */
record SleTiming(int rounds, int firstPracticeSeconds, int practiceSeconds, int warmUpSeconds)
{
    static final SleTiming FULL = new SleTiming(2, 60, 10, 3);
    static final SleTiming QUICK = new SleTiming(1, 15, 4, 2);
}
